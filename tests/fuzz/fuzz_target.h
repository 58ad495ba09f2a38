#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

// What libFuzzer calls, over and over; replay.cpp calls it once for each file of the corpus. A
// finding is what a sanitizer reports, an exception that is no Error, or a broken promise.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lookalike {

// A promise that must hold for any input.
inline void promise(bool holds) {
  if (!holds) std::abort();
}

}  // namespace lookalike
