#include "stages/decode/region.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "stages/decode/resize.h"

namespace lookalike {
namespace {

// Of its size, whatever that is.
constexpr std::uint32_t kAnySide = std::numeric_limits<std::uint32_t>::max();

bool lies_in(const Region& region, const ImageRecord& photo) {
  return region.width <= photo.width && region.x <= photo.width - region.width &&
         region.height <= photo.height && region.y <= photo.height - region.height;
}

// A view of it.
cv::Mat part_of(GrayImage& image, const Region& region) {
  const cv::Mat whole(image.height, image.width, CV_8U, image.pixels.data());
  return whole(cv::Rect(region.x, region.y, region.width, region.height));
}

}  // namespace

Region parse_region(std::string_view text) {
  const auto refuse = [&] {
    throw Error(ErrorKind::kUsage,
                fmt::format("region: must be X,Y,WIDTH,HEIGHT in whole px, X and Y at least 0, "
                            "WIDTH and HEIGHT at least {}, was \"{}\"",
                            kMinSidePx, text));
  };
  std::array<int, 4> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) refuse();
    const auto [stop, status] = std::from_chars(at, end, numbers[i]);
    if (status != std::errc()) refuse();
    at = stop;
  }
  const Region region{numbers[0], numbers[1], numbers[2], numbers[3]};
  const bool sensible =
      region.x >= 0 && region.y >= 0 && region.width >= kMinSidePx && region.height >= kMinSidePx;
  if (at != end || !sensible) refuse();
  return region;
}

std::variant<DecodedImage, SkippedFile> decode_region(const std::string& path, const Region& region,
                                                      WantedSize size,
                                                      const ImagesOptions& limits) {
  auto decoded = decode_file(path, kAnySide, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  DecodedImage image = std::get<DecodedImage>(std::move(decoded));
  if (!lies_in(region, image.record)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: the region {},{},{},{} leaves the photo, which is {} x {} px",
                            path, region.x, region.y, region.width, region.height,
                            image.record.width, image.record.height));
  }
  image.record.width = region.width;
  image.record.height = region.height;
  const auto width = static_cast<std::uint64_t>(region.width);
  const auto height = static_cast<std::uint64_t>(region.height);
  image.scale = scale_for(width, height, size);
  if (vanishes(width, height, image.scale)) {
    return SkippedFile{.file = image.record.file,
                       .reason = "too_small",
                       .detail = fmt::format("region of {} x {} px: nothing is left of the shorter "
                                             "side at {:.4g} of the size",
                                             width, height, image.scale)};
  }
  image.pixels = resized(part_of(image.pixels, region), image.scale);
  if (!image.alpha.empty()) image.alpha = resized(part_of(image.alpha, region), image.scale);
  return image;
}

}  // namespace lookalike
