#include "tools/lookalike/correlation_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <opencv2/imgcodecs.hpp>

#include "base/error.h"

namespace lookalike {
namespace {

// PNG Specification (ISO/IEC 15948): the signature, then the chunk IHDR with 13 bytes, then others.
constexpr std::string_view kSignature{"\x89PNG\r\n\x1A\n", 8};
constexpr std::size_t kHeaderEnd = kSignature.size() + 12 + 13;
constexpr std::string_view kType = "tEXt";
constexpr std::string_view kSoftware{"Software\0lookalike", 18};

// The specification's annex D, bit by bit.
std::uint32_t crc32(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0xEDB88320U;
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
  }
  return ~crc;
}

// Length of the data, type, data, checksum of type and data.
std::string software_chunk() {
  const std::string typed = std::string(kType) + std::string(kSoftware);
  std::string chunk;
  const auto put = [&](std::size_t value) {  // big-endian
    for (const int shift : {24, 16, 8, 0}) chunk += static_cast<char>(value >> shift & 0xFFU);
  };
  put(kSoftware.size());
  chunk += typed;
  put(crc32(typed));
  return chunk;
}

}  // namespace

GrayImage correlation_picture(const PoseMap& map) {
  GrayImage picture(map.width, map.height);
  std::transform(map.scores.begin(), map.scores.end(), picture.pixels.begin(), [](float score) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(score, 0.0F, 1.0F)));
  });
  return picture;
}

Bytes encode_picture(const GrayImage& picture) {
  // OpenCV only reads from it.
  const cv::Mat pixels(picture.height, picture.width, CV_8U,
                       const_cast<std::uint8_t*>(picture.pixels.data()));
  Bytes bytes;
  require(cv::imencode(".png", pixels, bytes) && bytes.size() > kHeaderEnd,
          "encode_picture: OpenCV made no PNG file");
  const std::string chunk = software_chunk();
  bytes.insert(bytes.begin() + kHeaderEnd, chunk.begin(), chunk.end());
  return bytes;
}

OutputKind correlation_picture_kind() {
  return {"a correlation map of lookalike", [](std::string_view start) {
            return start.starts_with(kSignature) && start.size() > kHeaderEnd &&
                   start.substr(kHeaderEnd).starts_with(software_chunk());
          }};
}

}  // namespace lookalike
