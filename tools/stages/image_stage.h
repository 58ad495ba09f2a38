#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/scan.h"
#include "pipeline/device/open_session.h"
#include "tools/command_line/stage_arguments.h"

namespace lookalike {

// The options of stage executables that read images and write a record of each.
struct ImageStageArguments : StageArguments {
  ImageStageArguments(CLI::App& app, const char* output)
      : StageArguments(app, output), shard(app, "the images"), skipped(app) {
    CLI::Option* const folders = add_folder_options(config);
    add_input("--manifest", manifest, "File of lookalike-scan: the images to read")
        ->required(false)
        ->excludes(folders);
    config.add({"images.decode_threads", "extract.longest_side_px", "device.choice"});
  }
  ShardArgument shard;
  SkippedArguments skipped;
  std::string manifest;
};

// True if the manifest lists this path. Throws as ArtefactReader.
inline bool lists(const std::string& manifest, const std::string& path) {
  ArtefactReader<SourceFile> reader(manifest);
  while (const std::optional<SourceFile> file = reader.next()) {
    if (file->path == path) return true;
  }
  return false;
}

// Runs a stage, made by make_stage(session), over the images of the shard and writes its records.
// The images that the manifest lists are protected from being replaced. Returns the exit code.
template <typename Record, typename MakeStage>
int run_image_stage(const ImageStageArguments& arguments, const RunConfig& config,
                    Progress::Style style, const char* label, const MakeStage& make_stage) {
  const FileShard shard = arguments.shard.get();
  OutputGuard guard = arguments.guard(config);
  if (!arguments.manifest.empty()) {
    guard.protect_files([&](const std::string& path) {
      return is_image_name(path, config.images.extensions) && lists(arguments.manifest, path);
    });
  }
  OutputFile output = arguments.open<Record>(guard);
  std::optional<OutputFile> skipped_output = arguments.skipped.open(guard);
  if (arguments.is_current(guard)) return kExitDone;
  ImageList images = list_images(config.images, arguments.manifest, shard);
  const bool is_whole = images.is_whole;
  OpenClSession session(session_options(config.device));
  auto stage = make_stage(session);
  ArtefactWriter<Record> writer(std::move(output));
  const std::vector<SkippedFile> skipped = for_each_image_batch(
      config, std::move(images), label, style, [&](std::span<const DecodedImage> batch) {
        for (const Record& record : stage.run(batch)) writer.write(record);
      });
  writer.finish();
  return arguments.skipped.finish(std::move(skipped_output), skipped, is_whole);
}

}  // namespace lookalike
