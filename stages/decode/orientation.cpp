#include <array>
#include <cstddef>

#include "stages/decode/bytes.h"
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

constexpr std::size_t kEntryBytes = 12;

bool has(ByteSpan bytes, std::size_t at, std::size_t count) {
  return at <= bytes.size() && count <= bytes.size() - at;
}

// Whether what an entry's value needs more than its own four bytes for is there.
bool is_whole(const TiffDirectory& exif, std::size_t entry) {
  constexpr std::array<std::size_t, 13> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
  const std::size_t type = exif.number(entry + 2, 2);
  const std::size_t bytes =
      type < kTypeBytes.size() ? kTypeBytes[type] * exif.number(entry + 4, 4) : 0;
  return has(exif.file, entry, kEntryBytes) &&
         (bytes <= 4 || has(exif.file, exif.number(entry + 8, 4), bytes));
}

}  // namespace

std::optional<int> exif_orientation(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMark = 42;
  constexpr std::size_t kOrientation = 274;
  if (bytes.size() < 8 || bytes[0] != bytes[1]) return 1;
  const TiffDirectory exif = first_directory(bytes);
  if (exif.number(2, 2) != kMark) return 1;
  const std::size_t entries = exif.number(exif.at, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = exif.at + 2 + i * kEntryBytes;
    if (!is_whole(exif, entry)) return std::nullopt;
    if (exif.number(entry, 2) == kOrientation) return static_cast<int>(exif.number(entry + 8, 2));
  }
  return 1;
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
