#pragma once

#include <mutex>

#include "base/artefacts.h"
#include "stages/decode/image_header.h"
#include "stages/decode/readers.h"

namespace lookalike {

// The turn to hold a large file or picture, from the constructor to the destructor: one thread has
// it at a time, so that memory does not grow with the threads that decode. Small files and pictures
// need none: a thread holds less than 100 MB for them, and photos of 12 megapixels are decoded side
// by side in every format. A thread may take it again while it has it.
class LargeTurn {
 public:
  explicit LargeTurn(const SourceFile& file);
  explicit LargeTurn(const ImageHeader& header, PixelMode mode = PixelMode::kGray);

 private:
  // One for the process, as its memory is.
  static inline std::recursive_mutex mutex_;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace lookalike
