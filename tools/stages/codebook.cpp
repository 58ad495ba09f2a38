#include "pipeline/device/open_session.h"
#include "stages/codebook/codebook_stage.h"
#include "stages/codebook/training_progress.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct CodebookArguments : StageArguments {
  explicit CodebookArguments(CLI::App& app) : StageArguments(app, "Codebook file to write") {
    add_inputs("--features", features, "Files of lookalike-extract or lookalike-sample");
    add_inputs("--statistics", statistics, "Files of lookalike-variance: blank images are left out")
        ->required(false);
    config.add({"codebook.words", "codebook.cells", "codebook.features_per_word",
                "codebook.sample_images", "codebook.max_iterations", "codebook.min_improvement",
                "codebook.seed", "variance.blank_below", "device.choice"});
  }
  std::vector<std::string> features;
  std::vector<std::string> statistics;
};

int run_codebook(const CodebookArguments& arguments, RunConfig config, Progress::Style style) {
  std::optional<OutputFile> output = arguments.open_outdated<Codebook>(config);
  if (!output) return kExitDone;
  const SumsByContent sums = read_statistics(arguments.statistics);
  const FeatureSource source = trainable_features(arguments.features, sums, config.variance);
  const Sample sample =
      take_sample(sample_images_of(source), source, config.codebook, output->folder());
  OpenClSession session(session_options(config.device));
  Codebook codebook;
  {
    TrainingProgress progress("codebook", sample.words, config.codebook, style);
    codebook = train_codebook(session, sample, config.codebook, progress.watch());
  }
  write_codebook(*std::move(output), codebook);
  return kExitDone;
}

}  // namespace

int codebook_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-codebook",
      "Trains a codebook of visual words on features, by k-means.\n"
      "Input: files of lookalike-extract with files of statistics, or files of lookalike-sample "
      "alone. Output: a codebook file.\n"
      "Example: lookalike-codebook --features photos.features --statistics photos.statistics "
      "--output photos.codebook",
      run_codebook);
}

}  // namespace lookalike
