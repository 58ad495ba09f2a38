#pragma once

#include <string>
#include <string_view>

namespace lookalike {

// Returns a text in the form in which a search that ignores case compares it: Unicode's full case
// folding ("Straße" as "strasse") in normalization form C, whichever form the text has. Bytes that
// are not UTF-8 stay as they are.
std::string fold_case(std::string_view text);

}  // namespace lookalike
