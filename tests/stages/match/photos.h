#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <opencv2/imgcodecs.hpp>

#include "base/image.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/match.h"

namespace lookalike {

// A photo of the package opencv-doc, as grey.
inline GrayImage photo(const std::string& name) {
  const std::string path = "/usr/share/doc/opencv-doc/examples/data/" + name;
  const cv::Mat pixels = cv::imread(path, cv::IMREAD_GRAYSCALE);
  if (pixels.empty()) throw std::runtime_error(path + " is missing: install opencv-doc");
  GrayImage image(pixels.cols, pixels.rows);
  std::copy(pixels.datastart, pixels.dataend, image.pixels.begin());
  return image;
}

// What a photo is looked up as, with the features of an index of default settings.
inline Query query_of(OpenClSession& session, const GrayImage& image) {
  Query query;
  query.image.record.width = image.width;
  query.image.record.height = image.height;
  query.image.pixels = image;
  query.features =
      ExtractStage(session, {.hessian_threshold = 100, .brighten_to = 0, .max_interval = 0})
          .run({&query.image, 1})
          .front()
          .features;
  return query;
}

inline GrayImage part_of(const GrayImage& image, int left, int top, int width, int height) {
  return crop(image.view(), left, top, width, height);
}

inline double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

}  // namespace lookalike
