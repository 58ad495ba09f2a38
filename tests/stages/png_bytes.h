#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// PNG files that OpenCV does not write, made from those it does.
namespace lookalike {

inline void put_big_endian(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

// CRC-32 as PNG wants it, bit by bit. Source: PNG Specification (ISO/IEC 15948), annex D.
inline std::uint32_t png_crc(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

// Length, type, data and CRC.
inline std::vector<std::uint8_t> png_chunk(const std::string& type,
                                           const std::vector<std::uint8_t>& data) {
  std::vector<std::uint8_t> typed(type.begin(), type.end());
  typed.insert(typed.end(), data.begin(), data.end());
  std::vector<std::uint8_t> chunk;
  put_big_endian(chunk, static_cast<std::uint32_t>(data.size()));
  chunk.insert(chunk.end(), typed.begin(), typed.end());
  put_big_endian(chunk, png_crc(typed));
  return chunk;
}

inline std::vector<std::uint8_t> png_header(std::uint32_t width, std::uint32_t height,
                                            std::uint8_t colour_type) {
  std::vector<std::uint8_t> data;
  put_big_endian(data, width);
  put_big_endian(data, height);
  data.insert(data.end(), {8, colour_type, 0, 0, 0});
  return png_chunk("IHDR", data);
}

// The 8-bit PNG with this header in place of its own, and chunks behind it.
inline std::vector<std::uint8_t> with_png_header(std::vector<std::uint8_t> png,
                                                 std::vector<std::uint8_t> header) {
  constexpr std::size_t kSignatureBytes = 8;
  constexpr std::size_t kHeaderBytes = 25;
  png.erase(png.begin() + kSignatureBytes, png.begin() + kSignatureBytes + kHeaderBytes);
  png.insert(png.begin() + kSignatureBytes, header.begin(), header.end());
  return png;
}

// A few bytes that say they are 1.6 gigapixels.
inline std::vector<std::uint8_t> png_bomb(const std::vector<std::uint8_t>& png) {
  return with_png_header(png, png_header(40'000, 40'000, 0));
}

}  // namespace lookalike
