#include "kernels/correlation/correlation_image.h"

#include <algorithm>

namespace lookalike {
namespace {

// Rows start at multiples of this, so that GPUs can read them by words.
constexpr std::size_t kRowStep = 16;

}  // namespace

bool is_same_image(const ImageView& a, const ImageView& b) {
  return a.pixels == b.pixels && a.width == b.width && a.height == b.height;
}

PlacedImage place_image(const ImageView& image, std::size_t offset) {
  const std::size_t pitch = round_up(static_cast<std::size_t>(image.width), kRowStep);
  return {offset, pitch * static_cast<std::size_t>(image.height), image.width, image.height,
          static_cast<int>(pitch)};
}

void pack_image(const ImageView& image, const PlacedImage& place,
                std::vector<std::uint8_t>& bytes) {
  bytes.resize(std::max(bytes.size(), place.offset + place.plane_bytes));
  const auto width = static_cast<std::size_t>(image.width);
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    std::copy_n(image.pixels + y * width, width,
                bytes.data() + place.offset + y * static_cast<std::size_t>(place.pitch));
  }
}

CorrelationImage::CorrelationImage(OpenClSession& session, const ImageView& image)
    : place_(place_image(image, 0)) {
  planes_ = session.allocate(3 * place_.plane_bytes + kImageReadAhead);
  std::vector<std::uint8_t> bytes;
  pack_image(image, place_, bytes);
  session.write<std::uint8_t>(planes_, bytes);
}

}  // namespace lookalike
