#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

// One half-transparent drawing in every format with transparency.
namespace lookalike {

inline constexpr int kWidth = 60;
inline constexpr int kHeight = 40;
inline constexpr std::uint8_t kHiddenColour = 204;  // the colour of transparent pixels

// A dark drawing in levels that are multiples of 17, its left half transparent.
inline cv::Mat dark_levels() {
  cv::Mat levels = draw_picture(kWidth, kHeight, 1);
  for (std::uint8_t& level : cv::Mat_<std::uint8_t>(levels)) level = std::uint8_t(level / 34 * 17);
  levels.colRange(0, kWidth / 2).setTo(kHiddenColour);
  return levels;
}

inline cv::Mat half_alpha() {
  cv::Mat alpha(kHeight, kWidth, CV_8U, cv::Scalar(255));
  alpha.colRange(0, kWidth / 2).setTo(0);
  return alpha;
}

inline cv::Mat with_alpha(const cv::Mat& gray, const cv::Mat& alpha) {
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{gray, gray, gray, alpha}, bgra);
  return bgra;
}

inline cv::Mat deep(const cv::Mat& image) {
  cv::Mat result;
  image.convertTo(result, CV_16U, 257);
  return result;
}

// Samples of a PNG: each level `times` times, then alpha if wanted.
inline std::vector<std::uint8_t> png_samples(std::size_t times, bool alpha,
                                             std::size_t bytes_each) {
  std::vector<std::uint8_t> result;
  const cv::Mat levels = dark_levels();
  const cv::Mat shares = half_alpha();
  for (int i = 0; i < kWidth * kHeight; ++i) {
    result.insert(result.end(), times * bytes_each, levels.data[i]);
    if (alpha) result.insert(result.end(), bytes_each, shares.data[i]);
  }
  return result;
}

// Packs two levels into a byte.
inline std::vector<std::uint8_t> samples_of_four_bits() {
  std::vector<std::uint8_t> result;
  const cv::Mat levels = dark_levels();
  for (int i = 0; i < kWidth * kHeight; i += 2) {
    result.push_back(static_cast<std::uint8_t>(levels.data[i] / 17 * 16 + levels.data[i + 1] / 17));
  }
  return result;
}

inline std::vector<std::uint8_t> png(std::uint8_t colour_type, std::uint8_t bits,
                                     const std::vector<std::uint8_t>& chunks,
                                     const std::vector<std::uint8_t>& rows) {
  return raw_png(kWidth, kHeight, colour_type, bits, chunks, rows);
}

// Grey levels 0 to 255, one of them transparent.
inline std::vector<std::uint8_t> palette_chunks() {
  std::vector<std::uint8_t> colours;
  for (int level = 0; level < 256; ++level) colours.insert(colours.end(), 3, std::uint8_t(level));
  std::vector<std::uint8_t> shares(kHiddenColour, 255);
  shares.push_back(0);
  std::vector<std::uint8_t> chunks = png_chunk("PLTE", colours);
  const std::vector<std::uint8_t> transparency = png_chunk("tRNS", shares);
  chunks.insert(chunks.end(), transparency.begin(), transparency.end());
  return chunks;
}

// An uncompressed TIFF whose colours are plain or multiplied by their alpha.
inline std::vector<std::uint8_t> tiff(std::uint8_t bits, bool multiplied) {
  std::vector<std::uint8_t> result = {'I', 'I', 42, 0, 8, 0, 0, 0, 10, 0};
  const auto put = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) result.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  constexpr std::uint32_t kData = 8 + 2 + 10 * 12 + 4;
  const std::uint32_t bits_at = kData + kWidth * kHeight * 4U * bits / 8;
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> entries = {{256, kWidth},
                                                                        {257, kHeight},
                                                                        {258, bits_at},
                                                                        {259, 1},
                                                                        {262, 2},
                                                                        {273, kData},
                                                                        {277, 4},
                                                                        {278, kHeight},
                                                                        {279, bits_at - kData},
                                                                        {338, multiplied ? 1 : 2}};
  for (const auto& [tag, value] : entries) {
    const bool is_long = tag == 273 || tag == 279;
    put(tag, 2);
    put(is_long ? 4 : 3, 2);
    put(tag == 258 ? 4 : 1, 4);
    put(value, 4);
  }
  put(0, 4);
  const cv::Mat levels = dark_levels();
  const cv::Mat shares = half_alpha();
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const std::uint8_t level = multiplied && shares.data[i] == 0 ? 0 : levels.data[i];
    for (const std::uint8_t value : {level, level, level, shares.data[i]}) {
      put(bits == 16 ? value * 257U : value, bits / 8);
    }
  }
  for (int i = 0; i < 4; ++i) put(bits, 2);
  return result;
}

// All files with the dark drawing.
inline std::vector<std::pair<std::string, std::vector<std::uint8_t>>> transparent_files() {
  const cv::Mat bgra = with_alpha(dark_levels(), half_alpha());
  const std::vector<std::uint8_t> gray_key = png_chunk("tRNS", {0, kHiddenColour});
  const std::vector<std::uint8_t> deep_gray_key = png_chunk("tRNS", {kHiddenColour, kHiddenColour});
  const std::vector<std::uint8_t> four_bit_key = png_chunk("tRNS", {0, kHiddenColour / 17});
  const std::vector<std::uint8_t> colour_key =
      png_chunk("tRNS", {0, kHiddenColour, 0, kHiddenColour, 0, kHiddenColour});
  const std::vector<std::uint8_t> deep_colour_key =
      png_chunk("tRNS", std::vector<std::uint8_t>(6, kHiddenColour));
  return {{"PNG, RGB and alpha", png(6, 8, {}, png_samples(3, true, 1))},
          {"PNG, RGB and alpha, 16 bits", png(6, 16, {}, png_samples(3, true, 2))},
          {"PNG, grey and alpha", png(4, 8, {}, png_samples(1, true, 1))},
          {"PNG, grey and alpha, 16 bits", png(4, 16, {}, png_samples(1, true, 2))},
          {"PNG, palette", png(3, 8, palette_chunks(), png_samples(1, false, 1))},
          {"PNG, a colour", png(2, 8, colour_key, png_samples(3, false, 1))},
          {"PNG, a colour, 16 bits", png(2, 16, deep_colour_key, png_samples(3, false, 2))},
          {"PNG, a level", png(0, 8, gray_key, png_samples(1, false, 1))},
          {"PNG, a level, 16 bits", png(0, 16, deep_gray_key, png_samples(1, false, 2))},
          {"PNG, a level, 4 bits", png(0, 4, four_bit_key, samples_of_four_bits())},
          {"WebP, lossless", encode(".webp", bgra, {cv::IMWRITE_WEBP_QUALITY, 101})},
          {"WebP, lossy", encode(".webp", bgra, {cv::IMWRITE_WEBP_QUALITY, 95})},
          {"TIFF that does not say", encode(".tiff", bgra)},
          {"TIFF that does not say, 16 bits", encode(".tiff", deep(bgra))},
          {"TIFF", tiff(8, false)},
          {"TIFF, 16 bits", tiff(16, false)},
          {"TIFF, multiplied", tiff(8, true)},
          {"TIFF, multiplied, 16 bits", tiff(16, true)}};
}

}  // namespace lookalike
