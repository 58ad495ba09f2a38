#pragma once

#include "stages/command/command_line.h"
#include "stages/command/shard.h"

namespace lookalike {

// The options of programs that read images: --images, --extensions, --longest-side, --threads,
// --device, --shard.
class ImageArguments {
 public:
  ImageArguments(CLI::App& command, ConfigArguments& config);
  Shard shard() const { return shard_.get(); }

 private:
  ShardArgument shard_;
};

}  // namespace lookalike
