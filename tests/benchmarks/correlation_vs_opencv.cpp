// Races Correlation against OpenCV's matchTemplate (TM_CCOEFF_NORMED) on noise, in turns so that
// both meet the same machine, and prints the best times of each and their largest difference.
//   correlation_vs_opencv [device [rounds [kernel]]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "kernels/correlation/correlation.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {
namespace {

double elapsed_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

cv::Mat as_mat(GrayImage& image) {
  return {image.height, image.width, CV_8UC1, image.pixels.data()};
}

float largest_difference(const std::vector<float>& ours, const cv::Mat& theirs) {
  float largest = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto row = static_cast<int>(i) / theirs.cols;
    const auto col = static_cast<int>(i) % theirs.cols;
    largest = std::max(largest, std::abs(ours[i] - theirs.at<float>(row, col)));
  }
  return largest;
}

void race(Correlation& correlation, int width, int height, int side, int rounds) {
  GrayImage image = noise(width, height, 1);
  GrayImage pattern = noise(side, side, 2);
  cv::Mat theirs;
  std::vector<float> ours;
  double map_ms = 1e9;
  double best_ms = 1e9;
  double opencv_ms = 1e9;
  const CorrelationPair pair = {image.view(), pattern.view()};
  for (int round = 0; round < rounds; ++round) {
    const auto match = [&] {
      cv::matchTemplate(as_mat(image), as_mat(pattern), theirs, cv::TM_CCOEFF_NORMED);
    };
    opencv_ms = std::min(opencv_ms, elapsed_ms(match));
    map_ms =
        std::min(map_ms, elapsed_ms([&] { ours = correlation.map(image.view(), pattern.view()); }));
    best_ms = std::min(best_ms, elapsed_ms([&] { correlation.best_matches({&pair, 1}); }));
  }
  std::printf("%4dx%-4d %4d^2  %9.2f  %9.2f  %9.2f  %6.2f  %.1e\n", width, height, side, opencv_ms,
              map_ms, best_ms, opencv_ms / map_ms, largest_difference(ours, theirs));
}

void race_small_pairs(Correlation& correlation, int rounds) {
  constexpr std::size_t kPairs = 300;
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  std::vector<CorrelationPair> pairs;
  for (std::size_t i = 0; i < kPairs; ++i) {
    images.push_back(noise(48, 48, i));
    patterns.push_back(noise(24, 24, kPairs + i));
  }
  for (std::size_t i = 0; i < kPairs; ++i) pairs.push_back({images[i].view(), patterns[i].view()});
  double ours_ms = 1e9;
  double opencv_ms = 1e9;
  for (int round = 0; round < rounds; ++round) {
    ours_ms = std::min(ours_ms, elapsed_ms([&] { correlation.best_matches(pairs); }));
    opencv_ms = std::min(opencv_ms, elapsed_ms([&] {
                           for (std::size_t i = 0; i < kPairs; ++i) {
                             cv::Mat map;
                             cv::matchTemplate(as_mat(images[i]), as_mat(patterns[i]), map,
                                               cv::TM_CCOEFF_NORMED);
                             cv::minMaxLoc(map, nullptr);
                           }
                         }));
  }
  std::printf("300 x 48^2   24^2  %9.2f  %9s  %9.2f  %6.2f\n", opencv_ms, "", ours_ms,
              opencv_ms / ours_ms);
}

// Many patterns for one image: host arrays in, all maps normalised; ours stay on the device, which
// for PoCL is the host's memory too.
void race_patterns(OpenClSession& session, Correlation& correlation, std::size_t count,
                   int rounds) {
  GrayImage image = noise(1920, 1080, 1);
  std::vector<GrayImage> pictures;
  std::vector<CorrelationPattern> patterns;
  for (std::size_t i = 0; i < count; ++i) pictures.push_back(noise(64, 64, 2 + i));
  for (const GrayImage& picture : pictures) patterns.push_back({picture.view()});
  double ours_ms = 1e9;
  double opencv_ms = 1e9;
  for (int round = 0; round < rounds; ++round) {
    opencv_ms = std::min(opencv_ms, elapsed_ms([&] {
                           std::vector<cv::Mat> maps(count);
                           for (std::size_t i = 0; i < count; ++i) {
                             cv::matchTemplate(as_mat(image), as_mat(pictures[i]), maps[i],
                                               cv::TM_CCOEFF_NORMED);
                           }
                         }));
    ours_ms = std::min(ours_ms, elapsed_ms([&] {
                         CorrelationImage on_device(session, image.view());
                         correlation.maps(on_device, patterns);
                         session.finish();
                       }));
  }
  std::printf("1920x1080  %2zu x 64^2  %9.2f  %9.2f  %9s  %6.2f\n", count, opencv_ms, ours_ms, "",
              opencv_ms / ours_ms);
}

void run(const std::string& device, int rounds, const std::string& kernel) {
  OpenClSession session({.device = device});
  Correlation correlation(session, {.kernel = parse_correlation_kernel(kernel)});
  std::printf("%s, %s, %d threads for OpenCV\n", session.device().name.c_str(), kernel.c_str(),
              cv::getNumThreads());
  std::printf("image     pattern  OpenCV ms     map ms    peak ms   ratio  difference\n");
  race(correlation, 512, 512, 16, rounds);
  race(correlation, 1024, 1024, 64, rounds);
  race(correlation, 1920, 1080, 64, rounds);
  race(correlation, 1920, 1080, 128, rounds);
  race(correlation, 1920, 1080, 300, rounds);
  race_small_pairs(correlation, rounds);
  race_patterns(session, correlation, 8, rounds);
  race_patterns(session, correlation, 64, 1);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 5,
                   argc > 3 ? argv[3] : "auto");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "correlation_vs_opencv: %s\n", error.what());
    return 1;
  }
  return 0;
}
