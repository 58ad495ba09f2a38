#include "pipeline/answers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct QuarantineArguments : ListArguments {
  explicit QuarantineArguments(CLI::App& command)
      : ListArguments(command,
                      {.columns = {"path", "reason", "detail", "size_bytes"}, .paths = {"path"}}) {}
};

int list_quarantine(const QuarantineArguments& arguments) {
  const std::vector<SkippedFile> quarantine = arguments.index.open().quarantine();
  const Json answer = quarantine_answer(quarantine);
  Printer(arguments.format).print(answer, answer["quarantine"], [&] {
    for (const SkippedFile& file : quarantine) {
      const std::string columns = fmt::format("{:<12}", file.reason);
      fmt::print("{}{}{}\n", columns, last_column(columns.size(), printable(file.file.path)),
                 below(file.detail));
    }
  });
  return kExitDone;
}

}  // namespace

void add_quarantine_command(CLI::App& app, Action& action) {
  add_command(app, action, "quarantine",
              "List the files that could not be indexed, with the reasons",
              "Output: a line per file: reason, path; below it the detail, if any. A file "
              "quarantined for its content is retried only after it changes.\n"
              "Example: lookalike quarantine -d photos.db",
              list_quarantine);
}

}  // namespace lookalike
