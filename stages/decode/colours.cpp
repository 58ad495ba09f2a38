#include "stages/decode/colours.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "stages/decode/large_image_lock.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

// Returns the factor on both sides that reduces a picture to `most_pixels`, at most 1.
double reduction_to(double most_pixels, double width, double height) {
  return std::min(1.0, std::sqrt(most_pixels / (width * height)));
}

// Returns the region's place in a photo that was decoded `divisor` times smaller.
cv::Rect place_of(const Region& region, int divisor, cv::Size decoded) {
  const cv::Rect place(region.x / divisor, region.y / divisor, std::max(1, region.width / divisor),
                       std::max(1, region.height / divisor));
  return place & cv::Rect({}, decoded);
}

GrayImage copied(const cv::Mat& plane) {
  GrayImage image(plane.cols, plane.rows);
  if (!plane.empty()) plane.copyTo(cv::Mat(plane.size(), CV_8U, image.pixels.data()));
  return image;
}

}  // namespace

std::variant<ColourImage, SkippedFile> decode_in_colour(const LoadedFile& loaded,
                                                        double most_pixels,
                                                        const ImagesOptions& limits,
                                                        const std::optional<Region>& region) try {
  auto checked = check_header(loaded, limits);
  if (auto* file = std::get_if<SkippedFile>(&checked)) return std::move(*file);
  const auto& header = std::get<ImageHeader>(checked);
  const LargeImageLock lock(header, PixelMode::kColour);
  const auto width = static_cast<double>(header.width);
  const auto height = static_cast<double>(header.height);
  const double longest = std::max(width, height) * reduction_to(most_pixels, width, height);
  const int divisor = jpeg_divisor(header, static_cast<std::uint32_t>(std::ceil(longest)));
  auto decoded = decode_pixels(loaded, header, PixelMode::kColour, divisor);
  if (auto* file = std::get_if<SkippedFile>(&decoded)) return std::move(*file);
  auto& [pixels, alpha, damage] = std::get<ShownPixels>(decoded);
  cv::Size full = pixels.size() * divisor;
  if (region) {
    full = {region->width, region->height};
    const cv::Rect place = place_of(*region, divisor, pixels.size());
    pixels = pixels(place);
    if (!alpha.empty()) alpha = alpha(place);
  }
  const double factor = reduction_to(most_pixels, pixels.cols, pixels.rows);
  if (factor < 1) {
    for (cv::Mat* plane : {&pixels, &alpha}) {
      if (!plane->empty()) cv::resize(*plane, *plane, {}, factor, factor, cv::INTER_AREA);
    }
  }
  return colour_image(full, pixels, alpha);
} catch (const std::bad_alloc&) {
  return without_memory(loaded.file);
} catch (const cv::Exception& exception) {
  if (exception.code == cv::Error::StsNoMem) return without_memory(loaded.file);
  throw;
}

ColourImage colour_image(cv::Size full, const cv::Mat& pixels, const cv::Mat& alpha) {
  ColourImage image{.full_width = full.width,
                    .full_height = full.height,
                    .brightness = GrayImage(pixels.cols, pixels.rows),
                    .alpha = copied(alpha)};
  cv::Mat brightness(pixels.size(), CV_8U, image.brightness.pixels.data());
  cv::cvtColor(pixels, brightness, cv::COLOR_BGR2GRAY);
  constexpr int kPx = ColourImage::kColourPx;
  const cv::Size size(std::max(1, pixels.cols / kPx), std::max(1, pixels.rows / kPx));
  image.colour_width = size.width;
  image.colour_height = size.height;
  image.colours.resize(std::size_t{3} * static_cast<std::size_t>(size.area()));
  cv::Mat colours(size, CV_8UC3, image.colours.data());
  const cv::Rect whole({}, cv::Size(size.width * kPx, size.height * kPx));
  cv::resize(pixels(whole & cv::Rect({}, pixels.size())), colours, size, 0, 0, cv::INTER_AREA);
  return image;
}

}  // namespace lookalike
