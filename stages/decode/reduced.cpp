#include "stages/decode/reduced.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "stages/decode/large_image_lock.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

cv::Mat reduced(const cv::Mat& image, int longest_side_px) {
  const int longest = std::max(image.cols, image.rows);
  if (longest <= longest_side_px) return image;
  const double scale = static_cast<double>(longest_side_px) / longest;
  const auto side = [&](int px) { return std::max(1, cvRound(px * scale)); };
  cv::Mat result;
  cv::resize(image, result, {side(image.cols), side(image.rows)}, 0, 0, cv::INTER_AREA);
  return result;
}

}  // namespace

std::variant<ReducedPixels, SkippedFile> decode_reduced(const LoadedFile& photo,
                                                        int longest_side_px,
                                                        const ImagesOptions& limits) {
  auto checked = check_header(photo, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&checked)) return std::move(*skipped);
  const auto& header = std::get<ImageHeader>(checked);
  const LargeImageLock lock(header, PixelMode::kColour);
  const int divisor = jpeg_divisor(header, static_cast<std::uint32_t>(longest_side_px));
  auto decoded = decode_pixels(photo, header, PixelMode::kColour, divisor);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  const cv::Mat& image = std::get<ShownPixels>(decoded).pixels;
  if (auto why = too_large(static_cast<std::uint64_t>(image.cols) * static_cast<unsigned>(divisor),
                           static_cast<std::uint64_t>(image.rows) * static_cast<unsigned>(divisor),
                           limits)) {
    return SkippedFile{photo.file, "too_large", std::move(*why)};
  }
  return ReducedPixels{image.cols * divisor, image.rows * divisor, reduced(image, longest_side_px)};
}

}  // namespace lookalike
