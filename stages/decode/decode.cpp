#include "stages/decode/decode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/text.h"
#include "stages/decode/large_image_lock.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

// Returns the longest side that an image gets.
std::uint64_t wanted_side(std::uint64_t width, std::uint64_t height, WantedSize size) {
  const std::uint64_t longest = std::max(width, height);
  const std::uint64_t least = std::min(size.at_least_px, size.at_most_px);
  const std::uint64_t wanted = std::clamp<std::uint64_t>(longest, least, size.at_most_px);
  const double ratio = static_cast<double>(longest) / static_cast<double>(std::min(width, height));
  const double needed = std::ceil(size.strips_px * ratio);
  const double allowed = std::floor(size.at_most_px * std::sqrt(ratio));
  return std::max(wanted, static_cast<std::uint64_t>(std::min(needed, allowed)));
}

// Returns the factor that brings an image to the wanted size.
double scale_for(std::uint64_t width, std::uint64_t height, WantedSize size) {
  return static_cast<double>(wanted_side(width, height, size)) /
         static_cast<double>(std::max(width, height));
}

// Resizes by exactly `factor` on both axes, by area averaging or cubic interpolation; the last
// pixel of a side may be partial. Throws std::bad_alloc.
GrayImage resized(const cv::Mat& gray, double factor) {
  cv::Mat result = gray;
  const int method = factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC;
  try {
    if (factor != 1) cv::resize(gray, result, {}, factor, factor, method);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    throw;
  }
  GrayImage image(result.cols, result.rows);
  result.copyTo(cv::Mat(result.rows, result.cols, CV_8U, image.pixels.data()));
  return image;
}

// Returns why an image of this size is too small; nothing if it is not.
std::optional<std::string> too_small(std::uint64_t width, std::uint64_t height, double scale) {
  if (std::min(width, height) < kMinSidePx) {
    return fmt::format("{} x {} px: the shorter side is under {} px", width, height, kMinSidePx);
  }
  // Rounds like cv::resize, halves to even; cv::resize fails on a side of 0 px.
  if (cvRound(static_cast<double>(std::min(width, height)) * scale) < 1) {
    return fmt::format("{} x {} px: the shorter side vanishes at a scale of {:.4g}", width, height,
                       scale);
  }
  return std::nullopt;
}

// Resizes pixels, each `divisor` px of the full size wide, to the wanted size. Reason for skipping:
// "too_small".
std::variant<DecodedImage, SkippedFile> fitted_image(ImageRecord record, const cv::Mat& gray,
                                                     const cv::Mat& alpha, int divisor,
                                                     WantedSize size) {
  const auto width = static_cast<std::uint64_t>(record.width);
  const auto height = static_cast<std::uint64_t>(record.height);
  DecodedImage image;
  image.scale = scale_for(width, height, size);
  if (auto why = too_small(width, height, image.scale)) {
    return SkippedFile{std::move(record.file), "too_small", std::move(*why)};
  }
  image.record = std::move(record);
  image.pixels = resized(gray, image.scale * divisor);
  if (!alpha.empty()) image.alpha = resized(alpha, image.scale * divisor);
  return image;
}

constexpr std::uint32_t kAnySide = std::numeric_limits<std::uint32_t>::max();

bool lies_in(const Region& region, const ImageRecord& photo) {
  return region.width <= photo.width && region.x <= photo.width - region.width &&
         region.height <= photo.height && region.y <= photo.height - region.height;
}

// Returns a view of the region.
cv::Mat region_of(GrayImage& image, const Region& region) {
  const cv::Mat whole(image.height, image.width, CV_8U, image.pixels.data());
  return whole(cv::Rect(region.x, region.y, region.width, region.height));
}

// Decodes a file whose header check_header() has read.
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, const ImageHeader& header,
                                               WantedSize size, const ImagesOptions& limits) try {
  const LargeImageLock lock(header);
  const double scale = scale_for(header.width, header.height, size);
  if (auto why = too_small(header.width, header.height, scale)) {
    return SkippedFile{loaded.file, "too_small", std::move(*why)};
  }
  const auto side = static_cast<std::uint32_t>(wanted_side(header.width, header.height, size));
  const int divisor = jpeg_divisor(header, side);
  auto decoded = decode_pixels(loaded, header, PixelMode::kGray, divisor);
  if (auto* file = std::get_if<SkippedFile>(&decoded)) return std::move(*file);
  auto& [gray, alpha, damage] = std::get<ShownPixels>(decoded);
  ImageRecord record{loaded.file, loaded.content, gray.cols * divisor, gray.rows * divisor};
  if (auto why = too_large(static_cast<std::uint64_t>(record.width),
                           static_cast<std::uint64_t>(record.height), limits)) {
    return SkippedFile{loaded.file, "too_large", std::move(*why)};
  }
  auto image = fitted_image(std::move(record), gray, alpha, divisor, size);
  if (auto* fitted = std::get_if<DecodedImage>(&image)) fitted->damage = std::move(damage);
  return image;
} catch (const std::bad_alloc&) {
  return without_memory(loaded.file);
}

}  // namespace

WantedSize wanted_size(const ExtractOptions& options) {
  const WantedSize size(options.longest_side_px, options.enlarge_to_px);
  return options.enlarge_to_px > 0 ? size.with_strips() : size;
}

std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits) {
  auto checked = check_header(loaded, limits);
  if (auto* file = std::get_if<SkippedFile>(&checked)) return std::move(*file);
  return decode(loaded, std::get<ImageHeader>(checked), size, limits);
}

std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  return decode(std::get<LoadedFile>(loaded), size, limits);
}

Region parse_region(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ',')) {
    numbers.push_back(parse_number<int>(part).value_or(-1));
  }
  if (numbers.size() == 4 && std::min(numbers[0], numbers[1]) >= 0 &&
      std::min(numbers[2], numbers[3]) >= kMinSidePx) {
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("region: must be X,Y,WIDTH,HEIGHT in whole px, X and Y at least 0, "
                          "WIDTH and HEIGHT at least {}, was \"{}\"",
                          kMinSidePx, text));
}

std::variant<DecodedImage, SkippedFile> decode_region(const LoadedFile& loaded,
                                                      const Region& region, WantedSize size,
                                                      const ImagesOptions& limits) {
  auto checked = check_header(loaded, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&checked)) return std::move(*skipped);
  const auto& header = std::get<ImageHeader>(checked);
  const LargeImageLock lock(header);  // until the rest of the photo is dropped
  auto decoded = decode(loaded, header, kAnySide, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  DecodedImage image = std::get<DecodedImage>(std::move(decoded));
  if (!lies_in(region, image.record)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: the region {},{},{},{} leaves the photo, which is {} x {} px",
                            loaded.file.path, region.x, region.y, region.width, region.height,
                            image.record.width, image.record.height));
  }
  ImageRecord record = image.record;
  record.width = region.width;
  record.height = region.height;
  const cv::Mat alpha = image.alpha.empty() ? cv::Mat() : region_of(image.alpha, region);
  auto part = fitted_image(std::move(record), region_of(image.pixels, region), alpha, 1, size);
  if (auto* skipped = std::get_if<SkippedFile>(&part)) {
    skipped->detail = "region of " + skipped->detail;
  }
  return part;
}

}  // namespace lookalike
