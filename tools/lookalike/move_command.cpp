#include <cstdint>
#include <limits>
#include <variant>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/progress.h"
#include "stages/decode/decode.h"
#include "storage/index_writer.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct MoveArguments : UpkeepArguments {
  explicit MoveArguments(CLI::App& command) : UpkeepArguments(command) {
    add_value(command, "OLD", from, "A folder or file, by its path in the index")->required();
    add_value(command, "NEW", to, "Its present path")->required();
  }
  std::string from;
  std::string to;
};

// Returns the path at or below `to` that corresponds to a path at or below `from`.
std::string moved_path(const std::string& path, const std::string& from, const std::string& to) {
  return to + path.substr(from.size());
}

// Returns the name of the record that a move began, by which a repeated one is told from a typing
// error.
std::string record_of(const std::string& from, const std::string& to) {
  return "moved " + to_hex(hash_content(bytes_of(from + '\0' + to)));
}

// True if a folder of the index or a quarantined file lies at or below a path.
bool knows_rest_of(const IndexReader& index, const std::string& path) {
  return std::ranges::any_of(index.roots(),
                             [&](const IndexRoot& root) { return is_within(root.path, path); }) ||
         std::ranges::any_of(index.quarantine(), [&](const SkippedFile& file) {
           return is_within(page_of(file.file.path).file, path);
         });
}

struct Move {
  std::vector<MovedFile> files;
  std::vector<std::string> staying;  // the indexed content is not at the new place
};

// Reads the files at their new place and compares their content with the index.
Move plan_move(const IndexReader& index, const std::vector<SourceFile>& files,
               const std::string& from, const std::string& to, Progress::Style style) {
  ImagesOptions any;  // indexed files may be moved whatever the present limits
  any.max_file_mib = any.max_pages = std::numeric_limits<std::uint32_t>::max();
  Move move;
  Progress progress("compare", "files", files.size(), style);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& path = files[i].path;
    auto loaded = load_file(moved_path(path, from, to), any);
    auto* const there = std::get_if<LoadedFile>(&loaded);
    if (there && there->content == index.existing_image(*index.find(path)).content) {
      if (files[i].modified_ns == kUnfinished) there->file.modified_ns = kUnfinished;
      move.files.push_back({path, there->file});
    } else {
      move.staying.push_back(path);
      spdlog::warn("{}: stays: {}", printable(path),
                   there ? "the file at the new place has other content"
                         : std::get<SkippedFile>(loaded).detail);
    }
    progress.update(i + 1);
  }
  return move;
}

// Renames each root whose files have all moved; keeps a root with files that stay beside the new
// one.
void move_roots(IndexWriter& writer, const Move& move, const std::string& from,
                const std::string& to) {
  const std::vector<IndexRoot> known = writer.roots();
  std::vector<IndexRoot> added;
  std::vector<std::string> forgotten;
  for (const IndexRoot& root : known) {
    if (!is_within(root.path, from)) continue;
    const std::string now = moved_path(root.path, from, to);
    if (std::ranges::find(known, now, &IndexRoot::path) == known.end()) {
      added.push_back({.path = now});
    }
    const bool all_moved = std::ranges::none_of(
        move.staying, [&](const std::string& file) { return is_within(file, root.path); });
    if (all_moved) forgotten.push_back(root.path);
  }
  writer.forget_roots(forgotten);
  writer.put_roots(added);
  for (const IndexRoot& root : added) {
    spdlog::info("{}: is now a folder of the index", printable(root.path));
  }
}

int move_files(const MoveArguments& arguments) {
  const Progress::Style style = arguments.verbosity.apply();
  const std::string database = arguments.index.path();
  IndexWriter writer(database);
  const std::string from = normal_path(arguments.from);
  const std::string to = normal_path(arguments.to);
  if (from == to) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: is both the old and the new path", arguments.to));
  }
  std::vector<SourceFile> files = writer.files();
  const bool has_some_there =
      std::ranges::any_of(files, [&](const SourceFile& file) { return is_within(file.path, to); });
  std::erase_if(files, [&](const SourceFile& file) { return !is_within(file.path, from); });
  // An earlier call moved the files, but may have been killed before the rest.
  const std::string record = record_of(from, to);
  const bool is_repeated =
      files.empty() && (writer.derived(record) || (has_some_there && knows_rest_of(writer, from)));
  if (files.empty() && !is_repeated) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: is not in the index, nor was it moved to {} before",
                            printable(arguments.from), printable(arguments.to)));
  }
  const Move move = plan_move(IndexReader(database), files, from, to, style);
  if (!move.files.empty() || is_repeated) writer.set_derived(record, "");
  writer.move_files(move.files);
  if (!move.files.empty() || is_repeated) {
    // The next run retries quarantined files at their new place.
    std::vector<std::string> set_aside;
    for (SkippedFile& file : writer.quarantine()) {
      if (is_within(page_of(file.file.path).file, from)) {
        set_aside.push_back(std::move(file.file.path));
      }
    }
    writer.remove_paths(set_aside);
    move_roots(writer, move, from, to);
  }
  if (is_repeated) {
    spdlog::info("{}: is not in the index, but {} is: moved already", printable(from),
                 printable(to));
    return kExitDone;
  }
  spdlog::info("{} moved, {} stay where they were", counted(move.files.size(), "file"),
               move.staying.size());
  return move.staying.empty() ? kExitDone : kExitSkippedItems;
}

}  // namespace

void add_move_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "move", "Record the new paths of indexed files that were moved",
      "Output: the index with the new paths. Each file is read at its new place, and its "
      "path changes if its content is the indexed one. A folder of the index is renamed "
      "with its files. Nothing is extracted again. Exit code 1 when files stay because "
      "their content is not at the new place. After an interruption, the same command completes "
      "the move; repeating a complete one changes nothing.\n"
      "Example: lookalike move -d photos.db ~/photos/2019 ~/photos/2020",
      move_files);
}

}  // namespace lookalike
