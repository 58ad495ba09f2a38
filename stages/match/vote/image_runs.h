#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/index_types.h"

namespace lookalike {

// Numbers the postings of each image in a list, which is read block by block.
class ImageRuns {
 public:
  // Returns the number of postings of the same image before the i-th of the block.
  std::uint32_t place(std::span<const ImageId> block, std::size_t i) const {
    std::size_t first = i;
    while (first > 0 && block[first - 1] == block[i]) --first;
    const auto place = static_cast<std::uint32_t>(i - first);
    return first == 0 && block[0] == last_ ? before_ + place : place;
  }

  // Leaves a block, which is not empty, for the next one.
  void leave(std::span<const ImageId> block) {
    before_ = place(block, block.size() - 1) + 1;
    last_ = block.back();
  }

 private:
  ImageId last_ = 0;          // of the blocks so far
  std::uint32_t before_ = 0;  // its postings so far
};

}  // namespace lookalike
