#include "stages/decode/readers.h"

namespace lookalike {

bool is_linked(ImageFormat format) {
  return format == ImageFormat::kJpeg || format == ImageFormat::kPng || format == ImageFormat::kPnm;
}

cv::Mat read_linked(std::span<const std::uint8_t> file, ImageFormat format, PixelMode mode,
                    int divisor, std::string& problem) {
  if (format == ImageFormat::kJpeg) return read_jpeg(file, mode, divisor, problem);
  if (format == ImageFormat::kPng) return read_png(file, mode, problem);
  return read_pnm(file, mode, problem);
}

cv::Mat upright(const cv::Mat& stored, int orientation) {
  constexpr int kUpsideDown = 0;
  constexpr int kLeftToRight = 1;
  constexpr int kBoth = -1;
  if (orientation < 2 || orientation > 8) return stored;
  cv::Mat image = stored;
  if (orientation > 4) cv::transpose(stored, image);
  cv::Mat result = image;
  if (orientation == 4 || orientation == 8) cv::flip(image, result, kUpsideDown);
  if (orientation == 2 || orientation == 6) cv::flip(image, result, kLeftToRight);
  if (orientation == 3 || orientation == 7) cv::flip(image, result, kBoth);
  return result;
}

}  // namespace lookalike
