#pragma once

#include <string>

namespace lookalike {

// Returns a QR code of a text as lines for a terminal with UTF-8 and colours, dark on light. Empty
// if the text does not fit into a code.
std::string qr_code(const std::string& text);

}  // namespace lookalike
