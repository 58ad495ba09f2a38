#pragma once

#include <optional>
#include <string_view>

namespace lookalike {

// Whether the header Content-Type names a form, or another body of several parts.
bool is_multipart(std::string_view content_type);

// The first file of a body of multipart/form-data (RFC 7578, 2046); nothing if it is not one, or
// has none.
std::optional<std::string_view> multipart_file(std::string_view content_type,
                                               std::string_view body);

}  // namespace lookalike
