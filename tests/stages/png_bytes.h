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
                                            std::uint8_t colour_type, std::uint8_t bits = 8) {
  std::vector<std::uint8_t> data;
  put_big_endian(data, width);
  put_big_endian(data, height);
  data.insert(data.end(), {bits, colour_type, 0, 0, 0});
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

// A PNG of any colour type, its pixels not compressed.
//   chunks  between header and pixels
//   rows    samples as the colour type has them, row by row, 16 bits with the upper byte first
inline std::vector<std::uint8_t> raw_png(std::uint32_t width, std::uint32_t height,
                                         std::uint8_t colour_type, std::uint8_t bits,
                                         const std::vector<std::uint8_t>& chunks,
                                         const std::vector<std::uint8_t>& rows) {
  const std::size_t stride = rows.size() / height;
  std::uint32_t low = 1;  // of Adler-32
  std::uint32_t high = 0;
  std::vector<std::uint8_t> data = {0x78, 0x01};  // zlib: a stored block per row
  for (std::size_t y = 0; y < height; ++y) {
    const auto length = static_cast<std::uint32_t>(stride + 1);
    data.push_back(y + 1 == height ? 1 : 0);
    for (const std::uint32_t part : {length, ~length}) {
      data.push_back(static_cast<std::uint8_t>(part));
      data.push_back(static_cast<std::uint8_t>(part >> 8U));
    }
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(y * stride);
    data.push_back(0);  // no filter
    data.insert(data.end(), row, row + static_cast<std::ptrdiff_t>(stride));
    for (auto byte = data.end() - length; byte != data.end(); ++byte) {
      low = (low + *byte) % 65521;
      high = (high + low) % 65521;
    }
  }
  put_big_endian(data, high << 16U | low);
  std::vector<std::uint8_t> png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  for (const auto& part : {png_header(width, height, colour_type, bits), chunks,
                           png_chunk("IDAT", data), png_chunk("IEND", {})}) {
    png.insert(png.end(), part.begin(), part.end());
  }
  return png;
}

// A few bytes that say they are 1.6 gigapixels.
inline std::vector<std::uint8_t> png_bomb(const std::vector<std::uint8_t>& png) {
  return with_png_header(png, png_header(40'000, 40'000, 0));
}

}  // namespace lookalike
