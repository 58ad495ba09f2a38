// JPEG and PNG files that the header check lets pass: they are read in every mode, and the picture
// has the size that the header declares, or there is a reason for having none.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "stages/decode/readers.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

namespace {

constexpr std::uint64_t kMaxPixels = 1'000'000;

void check(const cv::Mat& pixels, const ImageHeader& header, int divisor,
           const std::string& problem) {
  promise(pixels.empty() != problem.empty());
  if (pixels.empty()) return;
  const auto part = [&](std::uint64_t side) {
    return static_cast<int>((side + static_cast<std::uint64_t>(divisor) - 1) /
                            static_cast<std::uint64_t>(divisor));
  };
  promise(std::minmax(pixels.cols, pixels.rows) ==
          std::minmax(part(header.width), part(header.height)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> file(data, size);
  const ImageFormat format = format_of(file);
  const auto header = read_image_header(file);
  if (!header || ends_early(file) || header->width * header->height > kMaxPixels) return 0;
  for (const PixelMode mode : {PixelMode::kGray, PixelMode::kColour, PixelMode::kAsStored}) {
    std::string problem;
    if (format == ImageFormat::kPng) {
      const cv::Mat pixels = read_png(file, mode, problem);
      check(pixels, *header, 1, problem);
    }
    if (format == ImageFormat::kPnm) {
      const cv::Mat pixels = read_pnm(file, mode, problem);
      check(pixels, *header, 1, problem);
    }
    if (format != ImageFormat::kJpeg || mode == PixelMode::kAsStored) continue;
    for (const int divisor : {1, 8}) {
      problem.clear();
      const cv::Mat pixels = read_jpeg(file, mode, divisor, problem);
      check(pixels, *header, divisor, problem);
    }
  }
  return 0;
}
