#pragma once

#include <cstddef>
#include <string>

namespace lookalike {

// The part of the work that one of several processes takes: items index, index + count, ...
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool owns(std::size_t item) const { return item % count == index; }
};

// "I/N" with I from 0 to N - 1. Throws Error(kUsage) for anything else.
Shard parse_shard(const std::string& text);

}  // namespace lookalike
