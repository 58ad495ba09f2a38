#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_number.h"

// Text for people, terminals and programs. Names may be any bytes.
namespace lookalike {

// A character and its number of bytes; length 0 for bytes that are not UTF-8 (RFC 3629: no stray or
// missing continuation bytes, overlong forms, surrogates, or values above U+10FFFF).
struct CodePoint {
  std::size_t length = 0;
  char32_t value = 0;
};

// Returns the first character of a non-empty text.
CodePoint first_code_point(std::string_view text);

// Returns "1 file" or "3 files".
std::string counted(std::size_t count, std::string_view what);

// Lowers ASCII letters; the encoding of names is unknown.
inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
// Returns a text with its ASCII letters in lower case.
std::string in_lower_case(std::string_view text);

// Appends a character, at most U+10FFFF, in UTF-8. Inline, because modules link none of our
// libraries.
inline void append_utf8(std::string& text, char32_t character) {
  const int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  constexpr char32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | character >> 6 * more);
  for (int shift = 6 * (more - 1); shift >= 0; shift -= 6) {
    text += static_cast<char>(0x80 | (character >> shift & 0x3F));
  }
}

// Returns a file name as one line for a terminal or log: control characters, invisible ones such as
// those that turn the direction of text (U+202E), backslashes and bytes that are not UTF-8 become
// \xNN.
std::string printable(std::string_view name);

// Returns a message in the same way, but with its backslashes and line breaks: names in it may have
// gone through printable() before.
std::string printable_message(std::string_view message);

// Returns the file: URI (RFC 8089) of the absolute path, with %XX for bytes other than letters,
// digits and -._~/.
std::string file_uri(const std::string& path);

// Returns a path as text, for JSON: unchanged if it is UTF-8, else its file_uri(). Unambiguous,
// since no absolute path begins like a URI.
std::string text_of_path(const std::string& path);

// Inverse of text_of_path(); also for paths typed by people. Throws Error(kUsage) for a damaged
// file: URI and for another host.
std::string path_of_text(const std::string& text);

// Returns a time in UTC: "2026-01-31T02:00:00Z".
std::string utc_text(std::int64_t since_epoch_ns);

// Returns the text as a quoted field of CSV (RFC 4180). An apostrophe before =, +, -, @, a tab or a
// line break at its beginning keeps spreadsheets from running it as a formula; texts that have
// apostrophes there get another one. csv_records() removes it. Not for numbers.
std::string csv_field(std::string_view text);

// Parses CSV (RFC 4180): quoted fields may contain line breaks, records end with LF or CRLF, empty
// lines are ignored. An unclosed quoted field ends with the text. As in files of spreadsheets, a
// byte order mark may come first, and semicolons separate fields if the first line has one and no
// comma.
std::vector<std::vector<std::string>> csv_records(std::string_view text);

// Returns the parts between separators, one more than separators.
std::vector<std::string_view> split(std::string_view text, char separator);

// Counts UTF-8 characters.
std::size_t character_count(std::string_view text);

// Breaks text at spaces into lines of at most `width` columns, except for longer words. The first
// line begins at `column`; the others are indented by `indent` columns.
std::string wrapped(std::string_view text, std::size_t width, std::size_t column,
                    std::size_t indent);

// Returns the known name nearest to a mistyped one in edit distance; ties: the first. Empty if more
// than a third of the letters of the longer name differ.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace lookalike
