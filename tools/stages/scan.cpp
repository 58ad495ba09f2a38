#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/program.h"
#include "storage/artefact_files.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {
namespace {

int scan_command(int argc, const char* const* argv) {
  CLI::App app(
      "Lists the images in folders once, so that all shards of a run take the same list.\n"
      "Input: folders of images. Output: a manifest, one record a file, by path; none when a "
      "folder cannot be read.\n"
      "Example: lookalike-scan --images photos --output photos.manifest",
      "lookalike-scan");
  ConfigArguments arguments(app);
  add_folder_options(arguments);
  const VerbosityArguments verbosity(app);
  const SkippedArguments skipped_arguments(app);
  std::string output;
  app.add_option("--output", output, "Manifest to write")->type_name("FILE")->required();
  const StageOutputArguments outputs(app);
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  const RunConfig config = arguments.load();
  verbosity.apply();

  OutputGuard guard = outputs.guard(arguments, config);
  OutputFile file = guard.open("--output", output, artefact_kind<SourceFile>());
  std::optional<OutputFile> skipped_file = skipped_arguments.open(guard);
  if (outputs.is_done(guard)) return kExitDone;
  const ImageList images = list_images(config.images, "", Shard{});
  ArtefactWriter<SourceFile> writer(std::move(file));
  for (const SourceFile& image : images.files) writer.write(image);
  if (images.is_whole) {
    writer.finish();
    spdlog::info("{} files", images.files.size());
  } else {
    skipped_file.reset();  // outputs that are there would count as current
  }
  return skipped_arguments.finish(std::move(skipped_file), images.skipped, images.is_whole);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-scan", [&] { return lookalike::scan_command(argc, argv); });
}
