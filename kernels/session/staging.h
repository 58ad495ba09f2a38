#pragma once

#include <cstddef>
#include <vector>

#include "kernels/session/opencl.h"

namespace lookalike {

// Page-locked host memory, to and from which a GPU copies at full speed while the host does other
// work. Pieces are taken one after the other and freed together. To lock pages takes milliseconds,
// in which other queues wait as well, so that the memory is kept for the next pieces.
class StagingMemory {
 public:
  StagingMemory() = default;
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;

  // Returns memory that is valid until free_all(). Throws cl::Error.
  void* take(const cl::Context& context, const cl::CommandQueue& queue, std::size_t bytes);
  // Frees all pieces: no copy from or to one may be running.
  void free_all();

  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  struct Block {
    cl::Buffer buffer;
    cl::CommandQueue queue;
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };

  static void release(const Block& block);

  std::vector<Block> blocks_;    // pieces are taken from the last one
  std::size_t used_ = 0;         // of the last block
  std::size_t taken_bytes_ = 0;  // in all blocks
};

}  // namespace lookalike
