#include "tools/serve/folder_filter.h"

#include "base/fold_case.h"
#include "base/path_set.h"
#include "base/text.h"
#include "tools/serve/request.h"

namespace lookalike {

FolderFilter::FolderFilter(const HttpRequest& request) {
  const std::string text = parameter(request, "folder").value_or("");
  if (text.starts_with('/') || text.starts_with("file:")) {
    folder_ = checked([&] { return normal_path(path_of_text(text)); });
  } else {
    part_ = fold_case(text);
  }
}

bool FolderFilter::accepts(std::string_view path) const {
  if (folder_) return is_within(path, *folder_);
  if (part_.empty()) return true;
  // With the slash behind the folder, so that "trips/" is one named so.
  return fold_case(path.substr(0, path.rfind('/') + 1)).find(part_) != std::string::npos;
}

}  // namespace lookalike
