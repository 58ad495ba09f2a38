#include "base/page_name.h"
#include "pipeline/device/open_session.h"
#include "stages/assign/assign_stage.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct AssignArguments : StageArguments {
  explicit AssignArguments(CLI::App& app)
      : StageArguments(app, "Words file to write"), shard(app, "the files of the records") {
    add_inputs("--features", features, "Files of lookalike-extract");
    add_input("--codebook", codebook, "File of lookalike-codebook");
    config.add("device.choice");
  }
  ShardArgument shard;
  std::vector<std::string> features;
  std::string codebook;
};

int run_assign(const AssignArguments& arguments, RunConfig config, Progress::Style style) {
  const FileShard shard = arguments.shard.get();
  std::optional<OutputFile> output = arguments.open_outdated<ImageWords>(config);
  if (!output) return kExitDone;
  OpenClSession session(session_options(config.device));
  AssignStage stage(session, read_codebook(arguments.codebook));
  ArtefactWriter<ImageWords> writer(*std::move(output));
  Progress progress("assign", "images", 0, style);
  std::vector<ImageFeatures> batch;
  std::size_t seen = 0;
  std::size_t files = 0;
  const auto assign_batch = [&] {
    for (const ImageWords& words : stage.run(batch)) writer.write(words);
    batch.clear();
    progress.update(seen);
  };
  for_each_record<ImageFeatures>(arguments.features, [&](const ImageFeatures& image) {
    ++seen;
    if (page_of(image.image.file.path).number == 1) ++files;
    if (shard.owns(files - 1)) batch.push_back(image);  // a page goes with its file
    if (batch.size() == kStageBatchImages) assign_batch();
  });
  assign_batch();
  writer.finish();
  return kExitDone;
}

}  // namespace

int assign_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-assign",
      "Gives each feature its visual word and signature, and each image its histogram.\n"
      "Input: files of features, and a codebook. Output: a file of words, one record per image.\n"
      "Example: lookalike-assign --features photos.features --codebook photos.codebook "
      "--output photos.words",
      run_assign);
}

}  // namespace lookalike
