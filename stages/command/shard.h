#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace lookalike {

// The part of the work that one of several processes takes: items index, index + count, ...
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool owns(std::size_t item) const { return item % count == index; }
};

// "I/N" with I from 0 to N - 1. Throws Error(kUsage) for anything else.
Shard parse_shard(const std::string& text);

// --shard I/N, of the things that `items` names.
class ShardArgument {
 public:
  ShardArgument(CLI::App& command, const std::string& items);
  Shard get() const { return parse_shard(text_); }

 private:
  std::string text_ = "0/1";
};

}  // namespace lookalike
