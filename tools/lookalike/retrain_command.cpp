#include "pipeline/index/retrain.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/indexing.h"

namespace lookalike {
namespace {

int retrain(const IndexingArguments& arguments, RunConfig config, Progress::Style style) {
  arguments.config.existing_database(config);
  return run_indexing("retrain", retrain_index, arguments, config, style);
}

}  // namespace

void add_retrain_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "retrain", "Train new visual words for an index whose collection has grown",
      "Input: all folders and files of the index, and any new --images. Output: the same index, "
      "rebuilt beside the old one (DATABASE.retrain) and swapped in at once; queries work "
      "meanwhile. Settings of [extract] are those given here, not the old index's. No image is "
      "lost: if a folder or file of the index cannot be read, the index stays unchanged and the "
      "exit code is 3. The next run resumes a stopped one.\n"
      "Example: lookalike retrain -d photos.db",
      retrain);
}

}  // namespace lookalike
