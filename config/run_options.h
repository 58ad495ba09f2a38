#pragma once

#include <cstdint>
#include <string>

namespace lookalike {

// [run]: the process of `lookalike index`.
struct RunOptions {
  std::string metrics;         // a file for a monitor, written after each run; empty: none
  std::uint32_t niceness = 0;  // 0..19: how far other programs go first

  bool operator==(const RunOptions&) const = default;
};

}  // namespace lookalike
