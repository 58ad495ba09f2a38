#include <spdlog/spdlog.h>

#include "base/text.h"
#include "storage/artefact_files.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

struct ScanArguments : StageArguments {
  explicit ScanArguments(CLI::App& app) : StageArguments(app, "Manifest to write"), skipped(app) {
    add_folder_options(config);
  }
  SkippedArguments skipped;
};

int run_scan(const ScanArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  OutputGuard guard = arguments.guard(config);
  OutputFile manifest = arguments.open<SourceFile>(guard);
  std::optional<OutputFile> skipped_output = arguments.skipped.open(guard);
  if (arguments.is_current(guard)) return kExitDone;
  const ImageList images = list_images(config.images, "", FileShard{});
  ArtefactWriter<SourceFile> writer(std::move(manifest));
  for (const SourceFile& image : images.files) writer.write(image);
  if (images.is_whole) {
    writer.finish();
    spdlog::info("{}", counted(images.files.size(), "file"));
  } else {
    skipped_output.reset();  // --update would take the outputs for current
  }
  return arguments.skipped.finish(std::move(skipped_output), images.skipped, images.is_whole);
}

}  // namespace

int scan_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-scan",
      "Lists the images in folders once, so that all shards of a run take the same list.\n"
      "Input: folders of images. Output: a manifest, one record per file, by path; none when a "
      "folder cannot be read.\n"
      "Example: lookalike-scan --images photos --output photos.manifest",
      run_scan);
}

}  // namespace lookalike
