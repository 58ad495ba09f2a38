#include "stages/command/image_arguments.h"

namespace lookalike {

ImageArguments::ImageArguments(CLI::App& command, ConfigArguments& config)
    : shard_(command, "the images") {
  config.add("--images", "images.folders");
  config.add("--extensions", "images.extensions");
  config.add("--longest-side", "extract.longest_side_px");
  config.add("--threads", "images.decode_threads");
  config.add("--device", "device.choice");
}

}  // namespace lookalike
