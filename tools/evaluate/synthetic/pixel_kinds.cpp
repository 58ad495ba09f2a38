#include <algorithm>
#include <cmath>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "tools/evaluate/synthetic/variant.h"

namespace lookalike {
namespace {

Variant jpeg(const cv::Mat& photo, double quality, Random&) {
  Variant variant;
  cv::imencode(".jpg", photo, variant.file, {cv::IMWRITE_JPEG_QUALITY, static_cast<int>(quality)});
  return variant;
}

// sigma is in px of a photo whose longest side has 1000, so that small ones do not drown.
Variant blur(const cv::Mat& photo, double sigma, Random&) {
  cv::Mat picture;
  cv::GaussianBlur(photo, picture, {}, sigma * std::max(photo.cols, photo.rows) / 1000);
  return {lossless_file(picture), {}};
}

// The same for all three colours, as less would be left of it in grey.
Variant noise(const cv::Mat& photo, double sigma, Random& random) {
  cv::Mat grey(photo.size(), CV_16S);
  cv::RNG generator(random.bits());
  generator.fill(grey, cv::RNG::NORMAL, 0, sigma);
  cv::Mat colours;
  cv::merge(std::vector<cv::Mat>(3, grey), colours);
  cv::Mat picture;
  cv::add(photo, colours, picture, cv::noArray(), CV_8UC3);
  return {lossless_file(picture), {}};
}

Variant brightness(const cv::Mat& photo, double levels, Random&) {
  cv::Mat picture;
  photo.convertTo(picture, -1, 1, levels);
  return {lossless_file(picture), {}};
}

// About the middle grey.
Variant contrast(const cv::Mat& photo, double factor, Random&) {
  constexpr double kMiddle = 128;
  cv::Mat picture;
  photo.convertTo(picture, -1, factor, kMiddle * (1 - factor));
  return {lossless_file(picture), {}};
}

std::string random_word(Random& random) {
  std::string word;
  const int length = 4 + random.below(6);
  for (int i = 0; i < length; ++i) word += static_cast<char>('A' + random.below(26));
  return word;
}

// Outlined, an eighth of the photo's shorter side high, anywhere.
void write_word(cv::Mat& picture, Random& random) {
  constexpr int kFont = cv::FONT_HERSHEY_DUPLEX;
  constexpr double kUnitHeightPx = 22;  // of the font's capitals
  const double size = std::min(picture.cols, picture.rows) / 8.0 / kUnitHeightPx;
  const int thickness = std::max(1, static_cast<int>(std::lround(2 * size)));
  const std::string word = random_word(random);
  const cv::Point at(static_cast<int>(random.between(-0.1, 0.7) * picture.cols),
                     static_cast<int>(random.between(0.1, 1) * picture.rows));
  const double ink = random.uniform() < 0.5 ? 0 : 255;
  cv::putText(picture, word, at, kFont, size, cv::Scalar::all(255 - ink), 3 * thickness,
              cv::LINE_AA);
  cv::putText(picture, word, at, kFont, size, cv::Scalar::all(ink), thickness, cv::LINE_AA);
}

Variant text(const cv::Mat& photo, double words, Random& random) {
  cv::Mat picture = photo.clone();
  for (int i = 0; i < static_cast<int>(words); ++i) write_word(picture, random);
  return {lossless_file(picture), {}};
}

}  // namespace

std::vector<std::uint8_t> lossless_file(const cv::Mat& picture) {
  std::vector<std::uint8_t> file;
  require(cv::imencode(".bmp", picture, file), "lossless_file: the picture cannot be encoded");
  return file;
}

std::vector<VariantKind> pixel_kinds() {
  return {{"jpeg", "quality", {90, 70, 50, 30, 20, 10}, jpeg},
          {"blur", "px of 1000", {1, 2, 4, 8}, blur},
          {"noise", "grey levels", {5, 10, 20, 40}, noise},
          {"brightness", "grey levels", {-96, -64, -32, 32, 64, 96}, brightness},
          {"contrast", "times", {0.25, 0.5, 0.75, 1.5, 2}, contrast},
          {"text", "words", {1, 2, 5, 10}, text}};
}

std::vector<VariantKind> variant_kinds() {
  std::vector<VariantKind> kinds = geometric_kinds();
  for (VariantKind& kind : pixel_kinds()) kinds.push_back(std::move(kind));
  return kinds;
}

}  // namespace lookalike
