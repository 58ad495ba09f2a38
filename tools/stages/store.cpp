#include "pipeline/flow/store_queue.h"
#include "pipeline/index/update_plan.h"
#include "pipeline/index_settings.h"
#include "pipeline/staged/single_stage.h"
#include "stages/variance/variance_stage.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct StoreArguments : ComputeArguments {
  explicit StoreArguments(CLI::App& app) : ComputeArguments(app) {
    add_value(app, "--words FILE", words, "Files of lookalike-assign")->required();
    add_value(app, "--statistics FILE", statistics, "Files of lookalike-variance")->required();
    add_value(app, "--codebook FILE", codebook, "File of lookalike-codebook")->required();
    add_value(app, "--skipped FILE", skipped, "Files that lookalike-extract --skipped wrote");
    config.add_database();
    config.add({"store.batch_images", "store.publish_seconds", "store.max_segments",
                "variance.blank_below"});
    config.add_extraction();
    config.add("extract.longest_side_px");
  }
  std::vector<std::string> words;
  std::vector<std::string> statistics;
  std::string codebook;
  std::vector<std::string> skipped;
};

// Checks that a new index does not replace anything else.
void claim_database(const StoreArguments& arguments, const RunConfig& config) {
  OutputGuard guard;
  guard.add_input(arguments.config.file());
  guard.add_inputs(arguments.words);
  guard.add_inputs(arguments.statistics);
  guard.add_input(arguments.codebook);
  guard.add_inputs(arguments.skipped);
  protect_images(guard, config, nullptr);
  guard.claim_index("--database", config.store.database);
}

void store_words(IndexWriter& writer, const StoreArguments& arguments, const RunConfig& config) {
  const SumsByContent sums = read_statistics(arguments.statistics);
  StageTimes times;
  StoreQueue store(writer, config.store, times);
  try {
    for_each_record<ImageWords>(arguments.words, [&](const ImageWords& words) {
      const auto found = sums.find(words.image.content);
      if (found == sums.end()) {
        throw Error(ErrorKind::kInput,
                    "store: no statistics of " + words.image.file.path + " in the files given");
      }
      store.push({.file = words.image.file,
                  .content = words.image.content,
                  .sums = found->second,
                  .blank = is_blank(found->second, config.variance),
                  .state = words});
    });
  } catch (const Error&) {
    store.finish();  // the records before the error are stored, whatever the timing
    throw;
  }
  store.finish();
}

void store_skipped(IndexWriter& writer, const std::vector<std::string>& files) {
  std::vector<SkippedFile> skipped;
  for_each_record<SkippedFile>(files, [&](const SkippedFile& file) { skipped.push_back(file); });
  std::erase_if(skipped, [&](const SkippedFile& file) {
    return is_out_of_sight(file) && writer.find(file.file.path);
  });
  writer.put_in_quarantine(skipped);
}

int run_store(const StoreArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  arguments.config.choose_database(config);
  claim_database(arguments, config);
  const Codebook codebook = read_codebook(arguments.codebook);
  IndexWriter writer(config.store.database);
  writer.set_codebook(codebook, settings_of(config.extract, codebook));
  store_words(writer, arguments, config);
  store_skipped(writer, arguments.skipped);
  return kExitDone;
}

}  // namespace

int store_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-store",
      "Adds images to an index.\n"
      "Input: files of words and of statistics, and the codebook. Output: the database.\n"
      "The [extract] settings must be those that the features were extracted with.\n"
      "Example: lookalike-store --words photos.words --statistics photos.statistics "
      "--codebook photos.codebook --database photos.db",
      run_store);
}

}  // namespace lookalike
