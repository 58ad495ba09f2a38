#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

// Pictures and image files that tests draw for themselves.
namespace lookalike {

// A grey picture full of corners and blobs, the same for the same seed.
inline cv::Mat draw_picture(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
  cv::Mat picture(height, width, CV_8U, cv::Scalar(128));
  for (int i = 0; i < width * height / 400; ++i) {
    const cv::Point at(below(width), below(height));
    const cv::Scalar gray(below(256));
    const int size = 2 + below(14);
    if (i % 2 == 0) {
      cv::circle(picture, at, size / 2 + 1, gray, cv::FILLED);
    } else {
      cv::rectangle(picture, at, at + cv::Point(size, 2 + below(14)), gray, cv::FILLED);
    }
  }
  cv::GaussianBlur(picture, picture, {3, 3}, 0);
  return picture;
}

// A TIFF file of pages of CV_8U, not compressed. `types`: the NewSubfileType of each page, 0 for
// those that it does not reach.
inline std::vector<std::uint8_t> encode_pages(const std::vector<cv::Mat>& pages,
                                              const std::vector<std::uint32_t>& types = {}) {
  std::vector<std::uint8_t> file;
  const auto put = [&](std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  put(0x002a4949, 4);  // "II", 42
  put(8, 4);           // the first directory
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto width = static_cast<std::size_t>(pages[i].cols);
    const auto height = static_cast<std::size_t>(pages[i].rows);
    constexpr std::size_t kEntries = 8;
    const std::size_t pixels = file.size() + 2 + 12 * kEntries + 4;
    const std::size_t next = i + 1 < pages.size() ? pixels + width * height : 0;
    put(kEntries, 2);
    const std::size_t entries[kEntries][2] = {{254, i < types.size() ? types[i] : 0},
                                              {256, width},
                                              {257, height},
                                              {258, 8},
                                              {262, 1},
                                              {273, pixels},
                                              {278, height},
                                              {279, width * height}};
    for (const auto& [tag, value] : entries) {
      put(tag, 2);
      put(4, 2);  // LONG
      put(1, 4);
      put(value, 4);
    }
    put(next, 4);
    for (int y = 0; y < pages[i].rows; ++y) {
      file.insert(file.end(), pages[i].ptr(y), pages[i].ptr(y) + width);
    }
  }
  return file;
}

inline std::vector<std::uint8_t> encode(const std::string& extension, const cv::Mat& picture,
                                        const std::vector<int>& parameters = {}) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(extension, picture, bytes, parameters);
  return bytes;
}

// The JPEG with an EXIF segment that states an orientation, 1 to 8.
inline std::vector<std::uint8_t> with_orientation(std::vector<std::uint8_t> jpeg,
                                                  std::uint8_t orientation) {
  const std::vector<std::uint8_t> segment = {
      0xff, 0xe1,        0,    34,   'E', 'x', 'i', 'f', 0, 0,  // APP1, 34 bytes
      'M',  'M',         0,    42,   0,   0,   0,   8,          // big-endian TIFF
      0,    1,           0x01, 0x12, 0,   3,   0,   0,   0, 1,  // one entry: 0x112, SHORT, 1
      0,    orientation, 0,    0,    0,   0,   0,   0};         // value; no next directory
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  return jpeg;
}

inline std::string text(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace lookalike
