#pragma once

#include "pipeline/single_stage.h"
#include "tools/command_line/command_line.h"

namespace lookalike {

// --shard I/N, of the things that `items` names.
class ShardArgument {
 public:
  ShardArgument(CLI::App& command, const std::string& items);
  Shard get() const { return parse_shard(text_); }

 private:
  std::string text_ = "0/1";
};

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
