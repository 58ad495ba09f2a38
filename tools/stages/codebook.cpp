#include <utility>

#include <fmt/format.h>

#include "base/program.h"
#include "pipeline/open_session.h"
#include "stages/codebook/codebook_stage.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int codebook_command(int argc, const char* const* argv) {
  CLI::App app(
      "Trains a codebook of visual words on features, by k-means.\n"
      "Input: files of features with files of statistics, or of lookalike-sample without them. "
      "Output: a codebook file.\n"
      "Example: lookalike-codebook --features photos.features --statistics photos.statistics "
      "--output photos.codebook",
      "lookalike-codebook");
  ConfigArguments arguments(app);
  arguments.add("--words", "codebook.words");
  arguments.add("--cells", "codebook.cells");
  arguments.add("--features-per-word", "codebook.features_per_word");
  arguments.add("--sample-images", "codebook.sample_images");
  arguments.add("--max-iterations", "codebook.max_iterations");
  arguments.add("--min-improvement", "codebook.min_improvement");
  arguments.add("--seed", "codebook.seed");
  arguments.add("--minimum-variance", "variance.blank_below");
  arguments.add("--device", "device.choice");
  const VerbosityArguments verbosity(app);
  std::vector<std::string> features;
  std::vector<std::string> statistics;
  std::string output;
  app.add_option("--features", features, "Files of lookalike-extract or lookalike-sample")
      ->type_name("FILE...")
      ->required();
  app.add_option("--statistics", statistics,
                 "Files of lookalike-variance: blank images are left out")
      ->type_name("FILE...");
  app.add_option("--output", output, "Codebook file to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  const Progress::Style style = verbosity.apply();

  OutputGuard guard = outputs.guard(arguments, config);
  guard.add_inputs(features);
  guard.add_inputs(statistics);
  OutputFile file = guard.open("--output", output, artefact_kind<Codebook>());
  if (outputs.is_done(guard)) return kExitDone;
  const SumsByContent sums = read_statistics(statistics);
  const FeatureSource source = trainable_features(features, sums, config.variance);
  const Sample sample =
      take_sample(sample_images_of(source), source, config.codebook, file.folder());
  OpenClSession session(session_options(config.device));
  Progress progress("codebook", "steps", training_steps(sample.words, config.codebook), style);
  TrainingWatch watch;
  watch.step = [&](std::size_t step, double objective) {
    progress.update(step, fmt::format("objective {:.4f}", objective));
  };
  const Codebook codebook = train_codebook(session, sample, config.codebook, watch);
  progress.finish();
  write_codebook(std::move(file), codebook);
  return kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-codebook",
                             [&] { return lookalike::codebook_command(argc, argv); });
}
