#include "pipeline/answers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct FoldersArguments : ListArguments {
  explicit FoldersArguments(CLI::App& command)
      : ListArguments(command, {.columns = {"path", "files", "withheld", "last_scan", "present"},
                                .paths = {"path"}}) {}
};

std::string columns_of(std::size_t files, const std::string& scanned) {
  return fmt::format("{:>9} files  {:<20}", files, scanned);
}

void print_folder(const Json& folder) {
  const Json& last_scan = folder["last_scan"];
  const std::size_t withheld = folder["withheld"];
  const std::string columns =
      columns_of(folder["files"], last_scan.is_null() ? "never" : last_scan.get<std::string>());
  const std::string path = printable(path_of_text(folder["path"]));
  const std::string remarks =
      (folder["present"] ? "" : "  (missing)") +
      (withheld == 0 ? std::string()
                     : fmt::format("  ({} gone, kept until confirmed)", counted(withheld, "file")));
  fmt::print("{}{}\n", columns, last_column(columns.size(), path + remarks));
}

int list_folders(const FoldersArguments& arguments) {
  const Json answer = folders_answer(arguments.index.open());
  Printer(arguments.format).print(answer, answer["folders"], [&] {
    for (const Json& folder : answer["folders"]) print_folder(folder);
    if (answer["files_without_folder"] == 0) return;
    const std::string columns = columns_of(answer["files_without_folder"], "-");
    fmt::print("{}{}\n", columns,
               last_text(columns.size(), "in no folder of the index; no run removes them"));
  });
  return kExitDone;
}

}  // namespace

void add_folders_command(CLI::App& app, Action& action) {
  add_command(app, action, "folders", "List the folders that an index covers",
              "Output: one line per folder: indexed files, start of the last run that scanned it, "
              "path. A file in nested folders counts towards the innermost.\n"
              "`lookalike index` adds folders, `lookalike remove` removes them, `lookalike move` "
              "records a folder's new name.\n"
              "Example: lookalike folders -d photos.db",
              list_folders);
}

}  // namespace lookalike
