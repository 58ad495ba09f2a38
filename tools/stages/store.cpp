#include "base/error.h"
#include "base/program.h"
#include "pipeline/flow/store_queue.h"
#include "pipeline/index_settings.h"
#include "pipeline/single_stage.h"
#include "stages/variance/variance_stage.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

struct Inputs {
  std::vector<std::string> words;
  std::vector<std::string> statistics;
  std::string codebook;
  std::vector<std::string> skipped;
};

void add_inputs(CLI::App& app, Inputs& inputs) {
  app.add_option("--words", inputs.words, "Files of lookalike-assign")
      ->type_name("FILE...")
      ->required();
  app.add_option("--statistics", inputs.statistics, "Files of lookalike-variance")
      ->type_name("FILE...")
      ->required();
  app.add_option("--codebook", inputs.codebook, "File of lookalike-codebook")
      ->type_name("FILE")
      ->required();
  app.add_option("--skipped", inputs.skipped, "Files that lookalike-extract --skipped wrote")
      ->type_name("FILE...");
}

// Checks that a new index does not replace anything else.
void claim_database(const Inputs& inputs, const ConfigArguments& arguments,
                    const RunConfig& config) {
  OutputGuard guard;
  guard.add_input(arguments.file());
  guard.add_inputs(inputs.words);
  guard.add_inputs(inputs.statistics);
  guard.add_input(inputs.codebook);
  guard.add_inputs(inputs.skipped);
  protect_images(guard, config, nullptr);
  guard.claim_index("--database", config.store.database);
}

void store_words(IndexWriter& writer, const Inputs& inputs, const RunConfig& config) {
  const SumsByContent sums = read_statistics(inputs.statistics);
  StageTimes times;
  StoreQueue store(writer, config.store, times);
  try {
    for_each_record<ImageWords>(inputs.words, [&](const ImageWords& words) {
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
    store.finish();  // what was read before the error is stored, whatever the timing
    throw;
  }
  store.finish();
}

void store_skipped(IndexWriter& writer, const std::vector<std::string>& files) {
  std::vector<SkippedFile> skipped;
  for_each_record<SkippedFile>(files, [&](const SkippedFile& file) { skipped.push_back(file); });
  writer.put_in_quarantine(skipped);
}

int store_command(int argc, const char* const* argv) {
  CLI::App app(
      "Adds images to an index.\n"
      "Input: files of words and of statistics, and the codebook. Output: the database.\n"
      "The [extract] settings must be those that the features were extracted with.\n"
      "Example: lookalike-store --words photos.words --statistics photos.statistics "
      "--codebook photos.codebook --database photos.db",
      "lookalike-store");
  ConfigArguments arguments(app);
  arguments.add_database();
  arguments.add("--batch-images", "store.batch_images");
  arguments.add("--publish-seconds", "store.publish_seconds");
  arguments.add("--max-segments", "store.max_segments");
  arguments.add("--minimum-variance", "variance.blank_below");
  arguments.add("--hessian-threshold", "extract.hessian_threshold");
  arguments.add("--brighten-to", "extract.brighten_to");
  arguments.add("--octaves", "extract.octaves");
  arguments.add("--layers", "extract.layers");
  arguments.add("--max-interval", "extract.max_interval");
  arguments.add("--descriptor-size", "extract.descriptor_size");
  arguments.add("--upright", "extract.upright");
  arguments.add("--max-features", "extract.max_features");
  arguments.add("--longest-side", "extract.longest_side_px");
  const VerbosityArguments verbosity(app);
  Inputs inputs;
  add_inputs(app, inputs);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  RunConfig config = arguments.load();
  verbosity.apply();
  arguments.choose_database(config);

  claim_database(inputs, arguments, config);
  const Codebook codebook = read_codebook(inputs.codebook);
  IndexWriter writer(config.store.database);
  writer.set_codebook(codebook, settings_of(config.extract, codebook));
  store_words(writer, inputs, config);
  store_skipped(writer, inputs.skipped);
  return kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-store",
                             [&] { return lookalike::store_command(argc, argv); });
}
