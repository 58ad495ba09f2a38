#include "tools/peers/locate_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/image.h"
#include "stages/decode/pixels.h"

namespace lookalike {

GrayImage of_mat(const cv::Mat& mat) {
  GrayImage image(mat.cols, mat.rows);
  mat.copyTo(cv::Mat(mat.rows, mat.cols, CV_8U, image.pixels.data()));
  return image;
}

cv::Mat as_mat(const GrayImage& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

std::vector<GrayImage> load_photos() {
  std::vector<GrayImage> photos;
  for (const char* name : kPhotos) {
    const std::string path = std::string("/usr/share/doc/opencv-doc/examples/data/") + name;
    photos.push_back(of_mat(must_load_pixels(path, cv::IMREAD_GRAYSCALE, {}).pixels));
  }
  return photos;
}

double contrast(const GrayImage& image) {
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(as_mat(image), mean, deviation);
  return deviation[0];
}

Cut random_cut(const std::vector<GrayImage>& photos, Random& random, int width, int height,
               double min_contrast) {
  for (;;) {
    const auto photo = static_cast<std::size_t>(random.below(static_cast<int>(photos.size())));
    const GrayImage& from = photos[photo];
    if (from.width < width || from.height < height) continue;
    const int x = random.below(from.width - width + 1);
    const int y = random.below(from.height - height + 1);
    Cut cut{crop(from.view(), x, y, width, height), photo, x, y};
    if (contrast(cut.pixels) >= min_contrast) return cut;
  }
}

double rounding(const Cut& cut) {
  return 1 / (12 * std::pow(contrast(cut.pixels), 2));
}

void change_light(GrayImage& image, Random& random) {
  const auto [low, high] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  const double most = std::min(2.0, 250.0 / std::max(1, *high - *low));
  const double gain = random.between(0.5, most);
  const double least_offset = std::max(-40.0, -gain * *low);
  const double most_offset = std::max(least_offset, std::min(40.0, 255 - gain * *high));
  double offset = random.between(least_offset, most_offset);
  if (gain * *high + offset > 255) offset = 255 - gain * *high;
  for (auto& pixel : image.pixels) {
    pixel = static_cast<std::uint8_t>(std::clamp(std::lround(gain * pixel + offset), 0L, 255L));
  }
}

void paste(const GrayImage& object, Point centre, double turn_degrees, double scale,
           cv::Mat& scene) {
  const double turn = turn_degrees * std::numbers::pi / 180;
  const double a = scale * std::cos(turn);
  const double b = scale * std::sin(turn);
  const double u = (object.width - 1) / 2.0;
  const double v = (object.height - 1) / 2.0;
  const cv::Matx23d map(a, -b, centre.x - a * u + b * v, b, a, centre.y - b * u - a * v);
  cv::warpAffine(as_mat(object), scene, map, scene.size(), cv::INTER_LINEAR,
                 cv::BORDER_TRANSPARENT);
}

void add_noise(cv::Mat& scene, double sigma, Random& random) {
  for (int y = 0; y < scene.rows; ++y) {
    for (int x = 0; x < scene.cols; ++x) {
      auto& pixel = scene.at<std::uint8_t>(y, x);
      pixel = cv::saturate_cast<std::uint8_t>(pixel + sigma * random.normal());
    }
  }
}

}  // namespace lookalike
