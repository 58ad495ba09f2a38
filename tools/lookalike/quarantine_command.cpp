#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "storage/index_reader.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

int list(const ListArguments& arguments) {
  const IndexReader index{std::filesystem::path(arguments.index.must_exist())};
  Json json = {{"quarantine", Json::array()}};
  for (const SkippedFile& file : index.quarantine()) {
    if (!arguments.json) {
      fmt::print("{}: {}: {}\n", printable(file.file.path), file.reason, file.detail);
      continue;
    }
    json["quarantine"].push_back({{"path", text_of_path(file.file.path)},
                                  {"reason", file.reason},
                                  {"detail", file.detail},
                                  {"size_bytes", file.file.size_bytes}});
  }
  if (arguments.json) fmt::print("{}\n", json_text(json));
  return kExitDone;
}

}  // namespace

void add_quarantine_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("quarantine", "List the files that could not be indexed, and why");
  command->footer(
      "Output: one line a file: path, reason, detail. A file that is set aside for what is in it "
      "is tried again only when it changes.\n"
      "Example: lookalike quarantine --database photos.db");
  const auto arguments = std::make_shared<ListArguments>(*command);
  command->callback([=, &action] { action = [=] { return list(*arguments); }; });
}

}  // namespace lookalike
