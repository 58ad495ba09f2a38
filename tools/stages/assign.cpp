#include <utility>

#include "base/page_name.h"
#include "base/program.h"
#include "pipeline/open_session.h"
#include "stages/assign/assign_stage.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int assign_command(int argc, const char* const* argv) {
  CLI::App app(
      "Gives each feature its visual word and signature, and each image its histogram.\n"
      "Input: files of features, and a codebook. Output: a file of words, one record an image.\n"
      "Example: lookalike-assign --features photos.features --codebook photos.codebook "
      "--output photos.words",
      "lookalike-assign");
  ConfigArguments arguments(app);
  arguments.add("--kernel", "assign.variant");
  arguments.add("--device", "device.choice");
  const ShardArgument shard_argument(app, "the files of the records");
  const VerbosityArguments verbosity(app);
  std::vector<std::string> features;
  std::string codebook;
  std::string output;
  app.add_option("--features", features, "Files of lookalike-extract")
      ->type_name("FILE...")
      ->required();
  app.add_option("--codebook", codebook, "File of lookalike-codebook")
      ->type_name("FILE")
      ->required();
  app.add_option("--output", output, "Words file to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  const Shard shard = shard_argument.get();
  const Progress::Style style = verbosity.apply();

  OutputGuard guard = outputs.guard(arguments, config);
  guard.add_inputs(features);
  guard.add_input(codebook);
  OutputFile file = guard.open("--output", output, artefact_kind<ImageWords>());
  if (outputs.is_done(guard)) return kExitDone;
  OpenClSession session(session_options(config.device));
  AssignStage stage(session, read_codebook(codebook), config.assign);
  ArtefactWriter<ImageWords> writer(std::move(file));
  Progress progress("assign", "images", 0, style);
  std::vector<ImageFeatures> batch;
  std::size_t seen = 0;
  std::size_t files = 0;
  const auto assign_batch = [&] {
    for (const ImageWords& words : stage.run(batch)) writer.write(words);
    batch.clear();
    progress.update(seen);
  };
  for_each_record<ImageFeatures>(features, [&](const ImageFeatures& image) {
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
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-assign",
                             [&] { return lookalike::assign_command(argc, argv); });
}
