#pragma once

#include <mutex>

#include "base/artefacts.h"
#include "base/error.h"
#include "stages/decode/image_header.h"
#include "stages/decode/readers.h"

namespace lookalike {

// Thrown by LargeImageLock on a thread whose WorkLimits exclude large images.
class LargeImage : public Error {
 public:
  LargeImage() : Error(ErrorKind::kDevice, "large images are decoded on another thread") {}
};

// Scoped lock held while a large file or image is in memory; one thread holds it at a time, so that
// memory does not grow with the number of decoding threads. Recursive. Does nothing for small files
// and images, which take a thread less than 100 MB: photos of 12 megapixels are decoded in parallel
// in every format. Throws LargeImage.
class LargeImageLock {
 public:
  explicit LargeImageLock(const SourceFile& file);
  explicit LargeImageLock(const ImageHeader& header, PixelMode mode = PixelMode::kGray);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace lookalike
