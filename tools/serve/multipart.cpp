#include "tools/serve/multipart.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace lookalike {
namespace {

// A line of multipart/form-data that separates its parts.
std::string delimiter_of(std::string_view content_type) {
  const std::string_view mark = "boundary=";
  const std::size_t at = content_type.find(mark);
  if (at == content_type.npos) return {};
  std::string_view boundary = content_type.substr(at + mark.size());
  if (boundary.starts_with('"')) {
    boundary = boundary.substr(1, boundary.find('"', 1) - 1);
  } else {
    boundary = boundary.substr(0, boundary.find_first_of("; \t"));
  }
  const bool is_one = !boundary.empty() && boundary.size() <= 70;
  return is_one ? fmt::format("--{}", boundary) : std::string();
}

}  // namespace

std::optional<std::string_view> multipart_file(std::string_view content_type,
                                               std::string_view body) {
  const std::string delimiter = delimiter_of(content_type);
  if (delimiter.empty() || !body.starts_with(delimiter)) return std::nullopt;
  const std::string next = fmt::format("\r\n{}", delimiter);
  for (std::size_t at = delimiter.size(); body.substr(at).starts_with("\r\n");) {
    const std::size_t headers_end = body.find("\r\n\r\n", at);
    if (headers_end == body.npos) return std::nullopt;
    const std::size_t start = headers_end + 4;
    const std::size_t end = body.find(next, start - 2);  // an empty part has no line of its own
    if (end == body.npos) return std::nullopt;
    const std::string_view headers = body.substr(at, headers_end - at);
    if (headers.find("filename=") != headers.npos) {
      return body.substr(start, std::max(end, start) - start);
    }
    at = end + next.size();
  }
  return std::nullopt;
}

}  // namespace lookalike
