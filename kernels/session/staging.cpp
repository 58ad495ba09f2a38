#include "kernels/session/staging.h"

#include <algorithm>

namespace lookalike {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kLeastBlock = std::size_t{1} << 20;

}  // namespace

StagingMemory::~StagingMemory() {
  for (const Block& block : blocks_) release(block);
}

// Calls the C function: a destructor must not throw.
void StagingMemory::release(const Block& block) {
  clEnqueueUnmapMemObject(block.queue(), block.buffer(), block.begin, 0, nullptr, nullptr);
}

void* StagingMemory::take(const cl::Context& context, const cl::CommandQueue& queue,
                          std::size_t bytes) {
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || used_ + size > blocks_.back().bytes) {
    Block block{.buffer = {},
                .queue = queue,
                .begin = nullptr,
                .bytes = std::max({size, kLeastBlock, 2 * taken_bytes_})};
    block.buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, block.bytes);
    block.begin = static_cast<std::byte*>(block.queue.enqueueMapBuffer(
        block.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, block.bytes));
    blocks_.push_back(block);
    used_ = 0;
  }
  std::byte* const piece = blocks_.back().begin + used_;
  used_ += size;
  taken_bytes_ += size;
  return piece;
}

// Keeps the largest block, which is the last.
void StagingMemory::free_all() {
  while (blocks_.size() > 1) {
    release(blocks_.front());
    blocks_.erase(blocks_.begin());
  }
  used_ = 0;
  taken_bytes_ = 0;
}

}  // namespace lookalike
