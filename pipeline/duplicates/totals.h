#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/duplicates/groups.h"

namespace lookalike {

// True if the file may go; false for its further pages, which go with it.
bool may_go(const GroupFile& file);

// Sums over groups of files and of those that may go.
struct GroupTotals {
  std::size_t groups = 0;
  std::size_t files = 0;
  std::size_t needless = 0;
  std::uint64_t needless_bytes = 0;

  void add(const Group& group);
  GroupTotals& operator+=(const GroupTotals& other);
};

// Returns the bytes of the files of a group that may go.
std::uint64_t needless_bytes(const Group& group);

}  // namespace lookalike
