#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/path_set.h"
#include "base/text.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Json to_json(const IndexRoot& root, std::size_t files) {
  return {{"path", text_of_path(root.path)},
          {"files", files},
          {"withheld", root.withheld.size()},
          {"last_scan", root.scanned_ns > 0 ? Json(utc_text(root.scanned_ns)) : Json()},
          {"present", is_folder(root.path)}};
}

void print_text(const IndexRoot& root, std::size_t files) {
  fmt::print("{:>9} files  {:<20}  {}{}{}\n", files,
             root.scanned_ns > 0 ? utc_text(root.scanned_ns) : "never scanned",
             printable(root.path), is_folder(root.path) ? "" : "  (missing)",
             root.withheld.empty()
                 ? ""
                 : fmt::format("  ({} files gone, kept until confirmed)", root.withheld.size()));
}

int list_folders(const ListArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const std::vector<IndexRoot> roots = index.roots();
  PathSet paths;
  for (const IndexRoot& root : roots) paths.insert(root.path);
  std::map<std::string, std::size_t> files;  // by folder; "" for files outside all of them
  index.for_each_file([&](const std::string& file) {
    const std::string* const root = paths.innermost(file);
    ++files[root == nullptr ? std::string() : *root];
  });
  if (arguments.json) {
    Json folders = Json::array();
    for (const IndexRoot& root : roots) folders.push_back(to_json(root, files[root.path]));
    print_json({{"folders", folders}, {"files_without_folder", files[""]}});
    return kExitDone;
  }
  for (const IndexRoot& root : roots) print_text(root, files[root.path]);
  if (files[""] > 0) {
    fmt::print("{:>9} files  {:<20}  in no folder of the index; no run removes them\n", files[""],
               "");
  }
  return kExitDone;
}

}  // namespace

void add_folders_command(CLI::App& app, Action& action) {
  add_command(app, action, "folders", "List the folders that an index covers",
              "Output: one line per folder: indexed files, start of the last run that scanned it, "
              "path. A file in nested folders counts towards the innermost.\n"
              "`lookalike index` adds folders, `lookalike remove` removes them, `lookalike move` "
              "records a folder's new name.\n"
              "Example: lookalike folders --database photos.db",
              list_folders);
}

}  // namespace lookalike
