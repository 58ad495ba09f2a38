#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fold_case.h"
#include "base/path_set.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "pipeline/answers.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

// Returns the folders from the outermost root of the index that covers a folder down to its parent.
std::vector<std::string> ancestors(const std::vector<IndexRoot>& roots, const std::string& folder) {
  std::string at = folder;
  for (const IndexRoot& root : roots) {
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

// Counts the indexed files at any depth in each folder from the roots of the index down.
FolderCounts files_by_folder(const IndexReader& index) {
  std::map<std::string, std::size_t> own;
  std::string folder;
  std::size_t files = 0;
  index.for_each_file([&](const std::string& path, std::int64_t) {
    check_time();
    const std::size_t end = std::max<std::size_t>(path.rfind('/'), 1);  // of "/" itself, too
    const std::string_view here = std::string_view(path).substr(0, end);
    if (here != folder) {
      own[folder] += files;
      folder = here;
      files = 0;
    }
    ++files;
  });
  own[folder] += files;
  const std::vector<IndexRoot> roots = index.roots();
  FolderCounts counts;
  for (const auto& [each, count] : own) {
    if (count == 0) continue;
    counts[each] += count;
    for (const std::string& above : ancestors(roots, each)) counts[above] += count;
  }
  return counts;
}

}  // namespace

HttpResponse list_folders(const HttpRequest& request, SearchState& state,
                          ServeContext& /*context*/) {
  check_parameters(request, {});
  return json_response(folders_answer(state.index()));
}

HttpResponse show_folder(const HttpRequest& request, SearchState& state, ServeContext& context) {
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
  for (const std::string& one : ancestors(index.roots(), folder)) {
    above.push_back(text_of_path(one));
  }
  Json folders = Json::array();
  for (const std::string& one : entries.folders) {
    folders.push_back({{"path", text_of_path(one)}, {"files", index.files_below(one)}});
  }
  Json images = Json::array();
  for (const std::string& file : entries.files) {
    images.push_back(
        dated_image(index, must_find(index, index.find(file).value()), file, context.dates));
  }
  return json_response({{"path", text_of_path(folder)},
                        {"ancestors", std::move(above)},
                        {"files", files_below},
                        {"folders", std::move(folders)},
                        {"images", std::move(images)},
                        {"next", entries.next ? Json(text_of_path(*entries.next)) : Json()}});
}

// Lists folders whose path contains a text, those first whose own name does.
HttpResponse suggest_folders(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {"name", "limit"});
  const std::string part = fold_case(parameter(request, "name").value_or(""));
  const std::uint64_t limit = number(request, "limit", 20, 1, 100);
  Json named = Json::array();
  Json others = Json::array();
  const auto counts = context.folders.get(std::to_string(state.number()), [&] {
    return std::make_shared<const FolderCounts>(files_by_folder(state.index()));
  });
  for (const auto& [folder, files] : *counts) {
    const std::string folded = fold_case(folder);
    if (folded.find(part) == std::string::npos) continue;
    const bool is_named = folded.find(part, folded.rfind('/') + 1) != std::string::npos;
    Json& list = is_named ? named : others;
    if (list.size() < limit) list.push_back({{"path", text_of_path(folder)}, {"files", files}});
  }
  for (Json& other : others) {
    if (named.size() < limit) named.push_back(std::move(other));
  }
  return json_response({{"folders", std::move(named)}});
}

}  // namespace lookalike
