#include "kernels/session/for_each_batch.h"

#include <algorithm>

namespace lookalike {

void for_each_batch(std::size_t total, std::size_t batch,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  std::size_t first = 0;
  batch = std::max<std::size_t>(batch, 1);
  while (first < total) {
    const std::size_t count = std::min(batch, total - first);
    try {
      work(first, count);
      first += count;
    } catch (const DeviceOutOfMemory&) {
      if (count == 1) throw;
      batch = count / 2;
    }
  }
}

}  // namespace lookalike
