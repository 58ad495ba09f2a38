#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/error.h"

namespace lookalike {

// The device has no room for what was asked; a smaller batch may fit.
class DeviceOutOfMemory : public Error {
 public:
  explicit DeviceOutOfMemory(const std::string& message) : Error(ErrorKind::kDevice, message) {}
};

// Runs work(first, count) over [0, total) in runs of at most `batch` items, halving the run when
// the device is out of memory. Throws DeviceOutOfMemory when a single item does not fit.
void for_each_batch(std::size_t total, std::size_t batch,
                    const std::function<void(std::size_t first, std::size_t count)>& work);

}  // namespace lookalike
