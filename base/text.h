#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_number.h"

// Text for people, terminals and programs, made of names that may be any bytes.
namespace lookalike {

// A character and the number of bytes it takes; length 0 for bytes that are not UTF-8 (RFC 3629:
// no stray or missing continuation bytes, overlong forms, surrogates, or values above U+10FFFF).
struct CodePoint {
  std::size_t length = 0;
  char32_t value = 0;
};

// The first character of a text that is not empty.
CodePoint first_code_point(std::string_view text);

// Bytes above 127 are unchanged: the encoding of names is unknown.
inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A file name as one line on a terminal or in a log: control characters, backslashes and bytes
// that are not UTF-8 become \xNN.
std::string printable(std::string_view name);

// The file: URI (RFC 8089) of the absolute path, with %XX for bytes other than letters, digits and
// -._~/.
std::string file_uri(const std::string& path);

// A path where only text is possible, such as in JSON. A UTF-8 path is unchanged; any other becomes
// its file_uri(). No absolute path begins like a URI, so the form is unambiguous.
std::string text_of_path(const std::string& path);

// The inverse of text_of_path(); also for paths that people type. Throws Error(kUsage) for a
// damaged file: URI and for one that names another host.
std::string path_of_text(const std::string& text);

// A time in UTC: "2026-01-31T02:00:00Z".
std::string utc_text(std::int64_t since_epoch_ns);

// The text as a quoted field of CSV (RFC 4180).
std::string csv_field(std::string_view text);

// The records of a CSV text (RFC 4180): fields may be quoted and then hold line breaks, records end
// with LF or CRLF, empty lines are left out. A quoted field that is not closed ends with the text.
std::vector<std::vector<std::string>> csv_records(std::string_view text);

// The parts between separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

// Characters of UTF-8.
std::size_t character_count(std::string_view text);

// Text broken at spaces into lines of at most `width` columns, but for longer words. The first line
// begins at `column`, the others are indented by `indent` columns.
std::string wrapped(std::string_view text, std::size_t width, std::size_t column,
                    std::size_t indent);

// The known name nearest to `name` in edit distance, to suggest for a mistyped one; ties: the
// first. Empty when more than a third of the letters of the longer name would have to change.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace lookalike
