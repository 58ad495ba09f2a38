#include <unordered_set>

#include "base/content_hash.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct SampleArguments : StageArguments {
  explicit SampleArguments(CLI::App& app) : StageArguments(app, "Features file to write") {
    add_inputs("--features", features, "Files of lookalike-extract");
    add_inputs("--statistics", statistics,
               "Files of lookalike-variance: blank images are left out");
    config.add({"codebook.sample_images", "codebook.seed", "variance.blank_below"});
  }
  std::vector<std::string> features;
  std::vector<std::string> statistics;
};

int run_sample(const SampleArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  std::optional<OutputFile> output = arguments.open_outdated<ImageFeatures>(config);
  if (!output) return kExitDone;
  const SumsByContent sums = read_statistics(arguments.statistics);
  const FeatureSource source = trainable_features(arguments.features, sums, config.variance);
  std::unordered_set<ContentHash, ContentHasher> wanted;
  for (const SampleImage& image : first_of_sample(sample_images_of(source), config.codebook)) {
    wanted.insert(image.content);
  }
  ArtefactWriter<ImageFeatures> writer(*std::move(output));
  source([&](const ImageFeatures& image) {
    if (wanted.erase(image.image.content) > 0) writer.write(image);  // copies once
  });
  writer.finish();
  return kExitDone;
}

}  // namespace

int sample_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-sample",
      "Keeps the features that training may take, so that lookalike-codebook reads no others.\n"
      "Input: files of features and of statistics, such as those of one shard.\n"
      "Output: a file of features. The samples of all shards give the same codebook as all "
      "features.\n"
      "Example: lookalike-sample --features photos.features --statistics photos.statistics "
      "--output photos.sample",
      run_sample);
}

}  // namespace lookalike
