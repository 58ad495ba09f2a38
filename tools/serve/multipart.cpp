#include "tools/serve/multipart.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kLongestBoundary = 70;

bool starts_in_any_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::ranges::equal(text.substr(0, start.size()), start, {}, lower_case, lower_case);
}

bool is_in_any_case(std::string_view text, std::string_view other) {
  return text.size() == other.size() && starts_in_any_case(text, other);
}

// Removes and returns what precedes the first of these characters, or everything without one.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::string_view head = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(head.size());
  return head;
}

// What a backslash in a quoted string does: it quotes the next character, by the standards of
// headers, or nothing, by that of forms.
enum class Backslash { kQuotes, kIsItself };

// Removes and returns a token or a quoted string; nothing for a string that does not end.
std::optional<std::string> cut_value(std::string_view& text, Backslash backslash) {
  if (!text.starts_with('"')) return std::string(cut(text, " \t\r\n;"));
  std::string value;
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '"') return value;
    const bool quotes = text.front() == '\\' && backslash == Backslash::kQuotes;
    if (quotes && text.size() > 1) text.remove_prefix(1);
    value += text.front();
  }
  return std::nullopt;
}

// Returns the value of a header's parameter: "b" for `form-data; name="a"; filename="b"` and
// "filename".
std::optional<std::string> parameter_of(std::string_view header, std::string_view name,
                                        Backslash backslash) {
  while (true) {
    cut(header, ";");
    const std::size_t start = header.find_first_not_of("; \t\r\n");
    if (start == header.npos) return std::nullopt;
    header.remove_prefix(start);
    const std::string_view found = cut(header, "=;");
    if (!header.starts_with('=')) continue;
    header.remove_prefix(1);
    std::optional<std::string> value = cut_value(header, backslash);
    if (!value || is_in_any_case(found, name)) return value;
  }
}

// Returns the header Content-Disposition of a part, whose headers each begin with a line break.
std::string_view disposition_of(std::string_view headers) {
  const std::string_view name = "\r\nContent-Disposition:";
  for (std::size_t at = 0; (at = headers.find("\r\n", at)) != headers.npos; at += 2) {
    const std::string_view header = headers.substr(at);
    if (!starts_in_any_case(header, name)) continue;
    std::size_t end = header.find("\r\n", name.size());
    while (end < header.size() - 2 && kBlanks.find(header[end + 2]) != kBlanks.npos) {
      end = header.find("\r\n", end + 2);  // the next line continues this one
    }
    return header.substr(0, end);
  }
  return {};
}

// Decodes the only characters that browsers encode in names (HTML, 4.10.21.8).
std::string decoded_name(std::string_view name) {
  std::string decoded;
  while (!name.empty()) {
    const std::string_view code = name.substr(0, 3);
    const char c = code == "%0D" ? '\r' : code == "%0A" ? '\n' : code == "%22" ? '"' : '\0';
    decoded += c == '\0' ? name.front() : c;
    name.remove_prefix(c == '\0' ? 1 : 3);
  }
  return decoded;
}

// Returns the name of the file in a part; nothing for a part that is no file.
std::optional<std::string> file_name(std::string_view headers) {
  const std::string_view disposition = disposition_of(headers);
  const auto parameter = [&](std::string_view name) {
    return parameter_of(disposition, name, Backslash::kIsItself);
  };
  if (const std::optional<std::string> name = parameter("filename")) return decoded_name(*name);
  return parameter("filename*") ? std::optional(std::string()) : std::nullopt;
}

}  // namespace

bool is_multipart(std::string_view content_type) {
  return starts_in_any_case(content_type, "multipart/");
}

std::vector<MultipartFile> multipart_files(std::string_view content_type, std::string_view body,
                                           std::size_t most) {
  std::vector<MultipartFile> files;
  const std::string boundary =
      parameter_of(content_type, "boundary", Backslash::kQuotes).value_or("");
  if (boundary.empty() || boundary.size() > kLongestBoundary) return files;
  const std::string delimiter = "\r\n--" + boundary;
  // Skips what precedes the first delimiter, which is a line of its own.
  const bool has_preamble = !body.starts_with(std::string_view(delimiter).substr(2));
  const std::size_t first = has_preamble ? body.find(delimiter) : 0;
  if (first == body.npos) return files;
  std::string_view rest = body.substr(first + delimiter.size() - (has_preamble ? 0 : 2));
  while (!rest.starts_with("--") && files.size() < most) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::size_t headers_end = rest.find("\r\n\r\n");
    if (!rest.starts_with("\r\n") || headers_end == rest.npos) return {};
    const std::string_view headers = rest.substr(0, headers_end);
    const std::string_view content = rest.substr(headers_end + 2);  // behind a line break
    const std::size_t end = content.find(delimiter);
    if (end == content.npos) return {};
    if (auto name = file_name(headers)) {
      files.push_back(
          {*std::move(name), content.substr(std::min<std::size_t>(2, end), end < 2 ? 0 : end - 2)});
    }
    rest = content.substr(end + delimiter.size());
  }
  return files;
}

}  // namespace lookalike
