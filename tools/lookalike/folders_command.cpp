#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "storage/index_reader.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

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
             printable(root.path), is_folder(root.path) ? "" : "  (not there)",
             root.withheld.empty()
                 ? ""
                 : fmt::format("  ({} files gone, kept until confirmed)", root.withheld.size()));
}

int list(const ListArguments& arguments) {
  const IndexReader index{std::filesystem::path(arguments.index.must_exist())};
  const std::vector<IndexRoot> roots = index.roots();
  PathSet paths;
  for (const IndexRoot& root : roots) paths.insert(root.path);
  std::map<std::string, std::size_t> files;  // "" for those in no folder
  index.for_each_file([&](const std::string& file) {
    const std::string* const root = paths.innermost(file);
    ++files[root == nullptr ? std::string() : *root];
  });
  Json folders = Json::array();
  for (const IndexRoot& root : roots) {
    if (arguments.json) {
      folders.push_back(to_json(root, files[root.path]));
    } else {
      print_text(root, files[root.path]);
    }
  }
  if (arguments.json) {
    const Json json = {{"folders", std::move(folders)}, {"files_without_folder", files[""]}};
    fmt::print("{}\n", json_text(json));
  } else if (files[""] > 0) {
    fmt::print("{:>9} files  {:<20}  in no folder of the index; no run removes them\n", files[""],
               "");
  }
  return kExitDone;
}

}  // namespace

void add_folders_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("folders", "List the folders that an index is of");
  command->footer(
      "Output: one line a folder: indexed files, start of the last run that scanned it, path. A "
      "file in nested folders counts for the innermost.\n"
      "`lookalike index` adds folders, `lookalike remove` takes them out, `lookalike move` follows "
      "one that has another name now.\n"
      "Example: lookalike folders --database photos.db");
  const auto arguments = std::make_shared<ListArguments>(*command);
  command->callback([=, &action] { action = [=] { return list(*arguments); }; });
}

}  // namespace lookalike
