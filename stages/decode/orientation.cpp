#include <array>
#include <cstddef>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// Numbers in the byte order of the data; zero past its end.
class ExifData {
 public:
  explicit ExifData(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), little_endian_(!bytes.empty() && bytes[0] == 'I') {}

  bool has(std::size_t at, std::size_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  std::size_t number(std::size_t at, std::size_t count) const {
    if (!has(at, count)) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = value << 8 | bytes_[at + (little_endian_ ? count - 1 - i : i)];
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_endian_;
};

constexpr std::size_t kEntryBytes = 12;

// Whether what an entry's value needs more than its own four bytes for is there.
bool is_whole(const ExifData& exif, std::size_t entry) {
  constexpr std::array<std::size_t, 13> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
  const std::size_t type = exif.number(entry + 2, 2);
  const std::size_t bytes =
      type < kTypeBytes.size() ? kTypeBytes[type] * exif.number(entry + 4, 4) : 0;
  return exif.has(entry, kEntryBytes) && (bytes <= 4 || exif.has(exif.number(entry + 8, 4), bytes));
}

}  // namespace

std::optional<int> exif_orientation(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMark = 42;
  constexpr std::size_t kOrientation = 274;
  const ExifData exif(bytes);
  if (!exif.has(0, 8) || bytes[0] != bytes[1] || exif.number(2, 2) != kMark) return 1;
  const std::size_t directory = exif.number(4, 4);
  const std::size_t entries = exif.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
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
