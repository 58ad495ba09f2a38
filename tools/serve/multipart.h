#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lookalike {

// True if the header Content-Type names a form, or another body of several parts.
bool is_multipart(std::string_view content_type);

struct MultipartFile {
  std::string name;          // as the client gives it
  std::string_view content;  // part of the body
};

// Returns the files in a body of multipart/form-data (RFC 7578, 2046), in order; none for a
// malformed body. Stops after `most`.
std::vector<MultipartFile> multipart_files(std::string_view content_type, std::string_view body,
                                           std::size_t most);

}  // namespace lookalike
