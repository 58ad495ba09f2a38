#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::string_view kScheme = "file://";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_code_point(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Invisible characters that change the order, the lines or the sense of the text around them:
// Unicode 15's categories Cf, Zl and Zp, without the two joiners U+200C and U+200D, which belong to
// the spelling of words and emoji, and without signs that are seen.
constexpr std::pair<char32_t, char32_t> kInvisible[] = {
    {0xAD, 0xAD},     {0x61C, 0x61C},     {0x180E, 0x180E},   {0x200B, 0x200B},
    {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},
    {0xFFF9, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE007F}};

// U+0080 to U+009F are control characters too; some terminals obey them.
bool is_printable(const CodePoint& point) {
  const char32_t value = point.value;
  if (value < 0x7F) return point.length > 0 && value >= 0x20 && value != '\\';
  return value >= 0xA0 && std::ranges::none_of(kInvisible, [&](const auto& range) {
           return range.first <= value && value <= range.second;
         });
}

// Returns a text with \xNN for bytes of characters that are not printable, but for those in `kept`.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(1, point.length);
    const bool stays = is_printable(point) || kept.find(text.front()) != kept.npos;
    for (const char c : text.substr(0, length)) {
      result += stays ? std::string(1, c) : fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
    }
    text.remove_prefix(length);
  }
  return result;
}

// True for what a spreadsheet may run, also with apostrophes in front.
bool is_formula(std::string_view field) {
  const std::size_t begin = field.find_first_not_of('\'');
  return begin != field.npos && std::string_view("=+-@\t\r\n").find(field[begin]) != field.npos;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::string decoded(std::string_view uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    const std::string_view digits = uri.substr(i + 1, 2);
    std::uint8_t byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || read.ptr != digits.data() + 2 || byte == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}{}: % must be followed by two hexadecimal digits", kScheme, uri));
    }
    path += static_cast<char>(byte);
    i += 2;
  }
  return path;
}

// Minimum number of insertions, deletions, substitutions and swaps of neighbours that turn a into
// b, where no letter is edited twice. Method: Wagner and Fischer, "The string-to-string correction
// problem", JACM 1974, with the swaps of Damerau, CACM 1964.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // the rows of the last two letters of a
  std::vector<std::size_t> above;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || surrogate || value > 0x10FFFF) return {};
  return {length, value};
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_case);
  return lower;
}

std::string printable(std::string_view name) {
  return escaped(name, "");
}

std::string printable_message(std::string_view message) {
  return escaped(message, "\\\n\t");
}

std::string file_uri(const std::string& path) {
  std::string uri(kScheme);
  for (const char c : std::filesystem::absolute(path).string()) {
    uri +=
        is_unreserved(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<std::uint8_t>(c));
  }
  return uri;
}

std::string text_of_path(const std::string& path) {
  return is_utf8(path) ? path : file_uri(path);
}

std::string path_of_text(const std::string& text) {
  if (!text.starts_with(kScheme)) return text;
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/')) {
    throw Error(ErrorKind::kUsage, text + ": only files of this host can be read");
  }
  return decoded(rest);
}

std::string utc_text(std::int64_t since_epoch_ns) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(since_epoch_ns / 1'000'000'000));
}

std::string csv_field(std::string_view text) {
  std::string result = is_formula(text) ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::vector<std::vector<std::string>> csv_records(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view first = text.substr(0, text.find('\n'));
  const char separator = first.find(',') == first.npos && first.find(';') != first.npos ? ';' : ',';
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool quoted = false;
  const auto end_record = [&] {
    for (std::string& field : record) {
      if (field.starts_with('\'') && is_formula(field)) field.erase(0, 1);
    }
    if (record.size() > 1 || !record.front().empty()) records.push_back(std::move(record));
    record.assign(1, {});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && text.substr(i + 1).starts_with('"')) {
      record.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      record.emplace_back();
    } else if (c == '\n' && !quoted) {
      end_record();
    } else if (quoted || c != '\r' || !text.substr(i + 1).starts_with('\n')) {
      record.back() += c;
    }
  }
  end_record();
  return records;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t column,
                    std::size_t indent) {
  std::string result;
  bool is_first = true;  // in its line
  for (const std::string_view word : split(text, ' ')) {
    const std::size_t columns = character_count(word);
    if (!is_first && column + 1 + columns > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += columns;
    is_first = false;
  }
  return result;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = name.size() + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (3 * distance <= longer && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace lookalike
