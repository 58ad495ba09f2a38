#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

int list_quarantine(const ListArguments& arguments) {
  const IndexReader index = arguments.index.open();
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const SkippedFile& file : index.quarantine()) {
    if (!arguments.json) {
      fmt::print("{}: {}: {}\n", printable(file.file.path), file.reason, file.detail);
      continue;
    }
    files.push_back({{"path", text_of_path(file.file.path)},
                     {"reason", file.reason},
                     {"detail", file.detail},
                     {"size_bytes", file.file.size_bytes}});
  }
  if (arguments.json) print_json({{"quarantine", files}});
  return kExitDone;
}

}  // namespace

void add_quarantine_command(CLI::App& app, Action& action) {
  add_command(app, action, "quarantine",
              "List the files that could not be indexed, with the reasons",
              "Output: one line per file: path, reason, detail. A file that is quarantined because "
              "of its content is retried only after it changes.\n"
              "Example: lookalike quarantine --database photos.db",
              list_quarantine);
}

}  // namespace lookalike
