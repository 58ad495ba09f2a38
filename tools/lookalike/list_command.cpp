#include <cstdint>
#include <set>

#include <fmt/ranges.h>

#include "base/page_name.h"
#include "base/path_set.h"
#include "pipeline/named.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

const std::vector<std::string> kStates = {"indexed",     "added", "blank",
                                          "featureless", "gone",  "quarantined"};

struct FileListArguments : ListArguments {
  explicit FileListArguments(CLI::App& command)
      : ListArguments(command, {.json = "one JSON object per page of a file, one per line",
                                .columns = {"id", "path", "size_bytes", "features", "state"},
                                .paths = {"path"}}) {
    add_value(command, "PATH", paths, "Only these files, and files in these folders");
    command.add_option("--state", state, "Only files in this state")
        ->check(CLI::IsMember(kStates).description(""))
        ->type_name(fmt::format("{}", fmt::join(kStates, "|")));
  }
  std::vector<std::string> paths;
  std::string state;  // empty: any
};

// Prints the files of an index that the command line selects.
class FileList {
 public:
  FileList(const FileListArguments& arguments, const IndexReader& index)
      : arguments_(arguments), printer_(arguments.format), index_(index) {
    for (const std::string& path : arguments.paths) wanted_.insert(stored_name(index, path));
  }

  // image: nullptr for a file in quarantine.
  void add(const SourceFile& file, const StoredImage* image, const std::string& state) {
    if (!is_wanted(file.path)) return;
    if (!arguments_.state.empty() && arguments_.state != state) return;
    const Json row = {{"id", image ? Json(image->id) : Json()},
                      {"path", text_of_path(file.path)},
                      {"size_bytes", file.size_bytes},
                      {"features", image ? Json(image->feature_count) : Json()},
                      {"state", state}};
    printer_.print(row, [&] {
      const auto text = [](const Json& value) { return value.is_null() ? "-" : value.dump(); };
      const std::string columns = fmt::format("{:>8} {:>11} {:>8}  {:<11}", text(row["id"]),
                                              file.size_bytes, text(row["features"]), state);
      fmt::print("{}{}\n", columns, last_column(columns.size(), printable(file.path)));
    });
  }

  // Reports the paths of the command line that match nothing in the index; returns the exit code.
  int finish() const {
    std::size_t missing = 0;
    for (const std::string& path : arguments_.paths) {
      const std::string name = stored_name(index_, path);
      const auto is_met = [&](const std::string& met) { return is_within(met, name); };
      if (std::ranges::any_of(met_, is_met)) continue;
      ++missing;
      spdlog::error("{}: is not in the index", printable(path));
    }
    if (missing == 0) return kExitDone;
    return missing == arguments_.paths.size() ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
  }

 private:
  bool is_wanted(const std::string& path) {
    if (arguments_.paths.empty()) return true;
    const std::string* wanted = wanted_.innermost(path);
    if (wanted == nullptr) wanted = wanted_.innermost(page_of(path).file);
    if (wanted != nullptr) met_.insert(*wanted);
    return wanted != nullptr;
  }

  const FileListArguments& arguments_;
  const Printer printer_;
  const IndexReader& index_;
  PathSet wanted_;
  std::set<std::string> met_;  // wanted paths that match a file
};

std::string state_of(const StoredImage& image, const std::string& name, bool is_gone) {
  if (is_gone) return "gone";
  if (image.blank) return "blank";
  if (image.feature_count == 0) return "featureless";
  return is_path(name) ? "indexed" : "added";
}

int list_files(const FileListArguments& arguments) {
  const IndexReader index = arguments.index.open();
  PathSet gone;
  for (const IndexRoot& root : index.roots()) {
    for (const std::string& file : root.withheld) gone.insert(file);
  }
  FileList list(arguments, index);
  for (const SourceFile& file : index.files()) {
    const bool is_gone = gone.contains(file.path);
    std::uint32_t pages = 1;
    for (std::uint32_t number = 1; number <= pages; ++number) {
      const SourceFile page = {page_name(file.path, number), file.size_bytes, file.modified_ns};
      const std::optional<ImageId> id = index.find(page.path);
      if (!id && number > 1) continue;  // in quarantine
      const std::optional<StoredImage> image = id ? index.image(*id) : std::nullopt;
      if (!image) {
        throw Error(ErrorKind::kStorage,
                    printable(page.path) + ": is indexed, but has no image: the index is damaged");
      }
      pages = image->pages;
      list.add(page, &*image, state_of(*image, file.path, is_gone));
    }
  }
  for (const SkippedFile& skipped : index.quarantine()) {
    list.add(skipped.file, nullptr, "quarantined");
  }
  return list.finish();
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  add_command(app, action, "list", "List the files of an index",
              "Output: one line per file: number of its image, bytes, features, state, path. Files "
              "with the same content have the same number. State: indexed; added by a program, "
              "under a name and without a file; blank, without visible content; featureless, "
              "without anything that a photo could be matched by; gone, but kept until its removal "
              "is confirmed; quarantined, without a number: `lookalike quarantine` gives the "
              "reason.\n"
              "Exit code: 1 if a PATH matches nothing in the index, 3 if none matches.\n"
              "Example: lookalike list -d photos.db ~/photos/2019\n"
              "         lookalike list -d photos.db --state blank --format paths",
              list_files);
}

}  // namespace lookalike
