#pragma once

#include <string>
#include <string_view>

namespace lookalike {

// A quoted field of a CSV file, as RFC 4180 has it.
std::string csv_field(std::string_view text);

}  // namespace lookalike
