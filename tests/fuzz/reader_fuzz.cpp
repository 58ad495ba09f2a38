// Files that the reader module of a format reads: a picture has at most the pixels that its header
// declares, or for HEIF those of its largest item.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "stages/decode/heif_size.h"
#include "stages/decode/readers.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

extern "C" {
extern const ImageReader kReaderOfTheTarget;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMaxPixels = 1'000'000;
  const std::span<const std::uint8_t> file(data, size);
  std::string problem;
  const auto header = kReaderOfTheTarget.read_header(file, problem);
  if (!header) return 0;
  const auto coded = largest_coded_size(file);  // of HEIF files; others have none
  if (!coded) return 0;
  const std::uint64_t pixels = std::max(coded->pixels(), header->width * header->height);
  if (pixels > kMaxPixels) return 0;
  for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour}) {
    const cv::Mat picture = kReaderOfTheTarget.read(file, mode, problem);
    promise(picture.total() <= pixels);
  }
  return 0;
}
