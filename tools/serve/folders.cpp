#include <optional>
#include <string>
#include <vector>

#include "base/path_set.h"
#include "base/text.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

// Returns the folders from the outermost root of the index that covers a folder down to its parent.
std::vector<std::string> ancestors(const IndexReader& index, const std::string& folder) {
  std::string at = folder;
  for (const IndexRoot& root : index.roots()) {
    if (is_within(folder, root.path) && root.path.size() < at.size()) at = root.path;
  }
  std::vector<std::string> way;
  while (at != folder) {
    way.push_back(at);
    at = folder.substr(0, folder.find('/', at.size() + 1));
  }
  return way;
}

// Entries of a folder: folders first, then files.
struct Entries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  std::optional<std::string> next;  // the last entry, a folder with a slash; unset at the end
};

// Returns at most `limit` entries; `after` is empty or the `next` of the entries before.
Entries entries_after(const IndexReader& index, const std::string& folder, const std::string& after,
                      std::size_t limit) {
  Entries found;
  auto& [folders, files, next] = found;
  const auto is_full = [&] { return folders.size() + files.size() > limit; };
  const bool begins_with_folders = after.empty() || after.ends_with('/');
  if (begins_with_folders) {
    index.for_each_entry(folder, after, [&](const std::string& path, bool is_folder) {
      if (is_folder) folders.push_back(path);
      return !is_full();
    });
  }
  if (!is_full()) {
    const std::string from = begins_with_folders ? "" : after;
    index.for_each_entry(folder, from, [&](const std::string& path, bool is_folder) {
      if (!is_folder) files.push_back(path);
      return !is_full();
    });
  }
  if (is_full()) {
    (files.empty() ? folders : files).pop_back();
    next = files.empty() ? folders.back() + '/' : files.back();
  }
  return found;
}

}  // namespace

HttpResponse list_folders(const HttpRequest& request, SearchState& state,
                          ServeContext& /*context*/) {
  check_parameters(request, {});
  return json_response(folders_answer(state.index()));
}

HttpResponse show_folder(const HttpRequest& request, SearchState& state,
                         ServeContext& /*context*/) {
  check_parameters(request, {"path", "after", "limit"});
  const IndexReader& index = state.index();
  std::string folder = checked([&] { return path_of_text(required(request, "path")); });
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const std::string after =
      checked([&] { return path_of_text(parameter(request, "after").value_or("")); });
  const std::uint64_t limit = number(request, "limit", 100, 1, 1000);
  const std::size_t files_below = folder.starts_with('/') ? index.files_below(folder) : 0;
  if (files_below == 0) {
    throw Refused(404, ErrorKind::kInput, "not_indexed", "the index has no file in that folder");
  }
  const Entries entries = entries_after(index, folder, after, limit);
  Json above = Json::array();
  for (const std::string& one : ancestors(index, folder)) above.push_back(text_of_path(one));
  Json folders = Json::array();
  for (const std::string& one : entries.folders) {
    folders.push_back({{"path", text_of_path(one)}, {"files", index.files_below(one)}});
  }
  Json images = Json::array();
  for (const std::string& file : entries.files) {
    images.push_back(listed_image(must_find(index, index.find(file).value()), file));
  }
  return json_response({{"path", text_of_path(folder)},
                        {"ancestors", std::move(above)},
                        {"files", files_below},
                        {"folders", std::move(folders)},
                        {"images", std::move(images)},
                        {"next", entries.next ? Json(text_of_path(*entries.next)) : Json()}});
}

}  // namespace lookalike
