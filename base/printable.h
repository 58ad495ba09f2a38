#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lookalike {

// A file's name as one line of a terminal or a log can show it: control characters, backslashes
// and bytes that are not UTF-8 become \xNN, the rest stays.
std::string printable(std::string_view name);

// A time in UTC: "2026-01-31T02:00:00Z".
std::string utc_text(std::int64_t since_epoch_ns);

}  // namespace lookalike
