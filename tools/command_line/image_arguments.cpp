#include "tools/command_line/image_arguments.h"

namespace lookalike {

ShardArgument::ShardArgument(CLI::App& command, const std::string& items) {
  command
      .add_option("--shard", text_,
                  "Take only " + items + " I, I + N, I + 2N, ... of what is given; I counts from 0")
      ->type_name("I/N");
}

ImageArguments::ImageArguments(CLI::App& command, ConfigArguments& config)
    : shard_(command, "the images") {
  config.add("--images", "images.folders");
  config.add("--extensions", "images.extensions");
  config.add("--longest-side", "extract.longest_side_px");
  config.add("--threads", "images.decode_threads");
  config.add("--device", "device.choice");
}

}  // namespace lookalike
