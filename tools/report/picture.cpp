#include "tools/report/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "stages/decode/encode.h"
#include "stages/decode/large_image_lock.h"
#include "stages/decode/pixels.h"
#include "tools/report/page.h"

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

std::variant<ReducedPhoto, SkippedFile> reduced_photo(const LoadedFile& photo, int longest_side_px,
                                                      const ImagesOptions& limits,
                                                      int jpeg_quality) {
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
  return ReducedPhoto{image.cols * divisor, image.rows * divisor,
                      encode_image(".jpg", reduced(image, longest_side_px), jpeg_quality)};
}

std::variant<Picture, SkippedFile> load_picture(const std::string& path, int longest_side_px,
                                                const ImagesOptions& limits, int jpeg_quality) {
  auto file = load_file(path, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&file)) return std::move(*skipped);
  auto photo = reduced_photo(std::get<LoadedFile>(file), longest_side_px, limits, jpeg_quality);
  if (auto* skipped = std::get_if<SkippedFile>(&photo)) return std::move(*skipped);
  const auto& [width, height, jpeg] = std::get<ReducedPhoto>(photo);
  return Picture{width, height, "data:image/jpeg;base64," + base64(jpeg)};
}

std::string embedded(const std::string& id, const Picture& picture) {
  return fmt::format("<image id=\"{}\" width=\"{}\" height=\"{}\" href=\"{}\"/>", id, picture.width,
                     picture.height, picture.data_uri);
}

std::string polygon(const Quad& quad, const std::string& colour) {
  std::string points;
  for (const Point& corner : quad) points += fmt::format("{:.1f},{:.1f} ", corner.x, corner.y);
  return fmt::format(
      "<polygon class=\"halo\" points=\"{0}\"/>"
      "<polygon class=\"outline\" points=\"{0}\" stroke=\"{1}\"/>",
      points, colour);
}

}  // namespace lookalike
