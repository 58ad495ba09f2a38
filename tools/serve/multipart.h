#pragma once

#include <optional>
#include <string_view>

namespace lookalike {

// True if the header Content-Type names a form, or another body of several parts.
bool is_multipart(std::string_view content_type);

// Returns the first file in a body of multipart/form-data (RFC 7578, 2046); nothing for a malformed
// body and one without a file.
std::optional<std::string_view> multipart_file(std::string_view content_type,
                                               std::string_view body);

}  // namespace lookalike
