#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http_server.h"

namespace lookalike {

// The files that the parameter "folder" of a request names: those in a folder, at any depth, if it
// is an absolute path; otherwise those whose folders contain it as a part of their path, in upper
// or lower case.
class FolderFilter {
 public:
  // Throws Refused, status 400.
  explicit FolderFilter(const HttpRequest& request);

  bool accepts_all() const { return !folder_ && part_.empty(); }
  bool accepts(std::string_view path) const;

 private:
  std::optional<std::string> folder_;  // in the form of normal_path()
  std::string part_;                   // folded
};

}  // namespace lookalike
