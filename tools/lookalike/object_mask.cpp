#include "tools/lookalike/object_mask.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "stages/decode/pixels.h"

namespace lookalike {

cv::Mat read_mask(const std::string& file, const ImageRecord& image, const ImagesOptions& limits) {
  ShownPixels mask = must_load_pixels(file, PixelMode::kGray, limits);
  if (mask.pixels.cols != image.width || mask.pixels.rows != image.height) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: a mask must have the image's size, {} x {} px, was {} x {}", file,
                            image.width, image.height, mask.pixels.cols, mask.pixels.rows));
  }
  if (!mask.alpha.empty()) mask.pixels.setTo(0, mask.alpha == 0);
  return mask.pixels;
}

GrayImage object_mask(const DecodedImage& object, const std::string& mask_file,
                      const ImagesOptions& limits) {
  GrayImage mask = object.alpha;
  if (!mask_file.empty()) {
    const cv::Mat full = read_mask(mask_file, object.record, limits);
    if (mask.empty()) {
      mask = GrayImage(object.pixels.width, object.pixels.height);
      std::ranges::fill(mask.pixels, std::uint8_t{255});
    }
    cv::Mat reduced;
    cv::Mat out(mask.height, mask.width, CV_8U, mask.pixels.data());
    cv::resize(full, reduced, out.size(), 0, 0, cv::INTER_AREA);
    cv::min(out, reduced, out);
  }
  for (std::uint8_t& pixel : mask.pixels) pixel = is_opaque(pixel) ? 255 : 0;
  const bool all = std::ranges::count(mask.pixels, 0) == 0;
  return all ? GrayImage() : mask;
}

}  // namespace lookalike
