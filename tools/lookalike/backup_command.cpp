#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/page_name.h"
#include "pipeline/duplicates/rejections.h"
#include "storage/backup.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct BackupArguments : OutputtingArguments {
  explicit BackupArguments(CLI::App& command) : OutputtingArguments(command) {
    config.add_database();
    add_value(command, "FILE", file, "File to write")->required();
  }
  std::string file;
};

OutputKind rejections_kind() {
  OutputKind kind = kind_that_begins("rejected pairs of lookalike", std::string(kRejectionHeader));
  kind.is_backup = true;
  return kind;
}

int back_up(const BackupArguments& arguments, RunConfig config, Progress::Style style) {
  const std::string database = arguments.config.existing_database(config);
  const IndexReader index{std::filesystem::path(database)};
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  OutputFile copy = guard.open("FILE", arguments.file, backup_kind());
  const std::filesystem::path rejections = rejection_file(arguments.file);
  if (has_file(rejections) && !has_file(arguments.file)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("FILE: {} is there without its backup, and may be of a lost index: name "
                    "another file, or move it away",
                    printable(rejections.native())));
  }
  std::optional<OutputFile> pairs;
  if (has_file(rejection_file(database)) || has_file(rejections)) {
    pairs = guard.open("FILE", rejections, rejections_kind());
  }
  const std::string text = rejections_text(read_rejections(database));
  remove_left_behind(arguments.file);
  const std::uint64_t images = back_up_index(database, copy, style);
  // The index first: rejections without it would be taken for those of a lost one.
  copy.commit();
  if (pairs) write_whole(*pairs, text);
  std::error_code unknown;
  spdlog::info("{}: {}, {} bytes", printable(arguments.file), counted(images, "image"),
               std::filesystem::file_size(arguments.file, unknown));
  return kExitDone;
}

}  // namespace

void add_backup_command(CLI::App& app, Action& action) {
  add_command(app, action, "backup", "Copy an index to a file, also while it is read and written",
              "Output: FILE, the last published state of the index as one file, and FILE.rejected "
              "if pairs are rejected. The copy is checked as by `lookalike check`, synced, and "
              "then renamed into place; it replaces only an earlier backup of that name. "
              "To restore it, copy both files to the names of the index while nothing uses it, "
              "and remove DATABASE-wal and DATABASE-shm.\n"
              "Example: lookalike backup -d photos.db photos-backup.db",
              back_up);
}

}  // namespace lookalike
