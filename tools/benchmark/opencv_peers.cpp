#include "tools/benchmark/opencv_peers.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/workload/inputs.h"
#include "tools/benchmark/least_time.h"

namespace lookalike {
namespace {

constexpr int kSiftFeatures = 5000;

int size_of(const Workload& workload, const char* name) {
  return static_cast<int>(workload.all_sizes().at(name));
}

cv::Mat picture(int width, int height, std::uint64_t seed) {
  GrayImage image = noise_picture(width, height, seed);
  return cv::Mat(height, width, CV_8UC1, image.pixels.data()).clone();
}

double match_template_ms(const Workload& workload, double budget_ms) {
  const cv::Mat image = picture(size_of(workload, "width"), size_of(workload, "height"), 1);
  std::vector<cv::Mat> patterns(static_cast<std::size_t>(size_of(workload, "patterns")));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] =
        picture(size_of(workload, "pattern_width"), size_of(workload, "pattern_height"), 2 + i);
  }
  cv::Mat map;
  return least_ms(budget_ms, [&] {
    for (const cv::Mat& pattern : patterns) {
      cv::matchTemplate(image, pattern, map, cv::TM_CCOEFF_NORMED);
    }
  });
}

double transpose_ms(const Workload& workload, double budget_ms) {
  const int type = size_of(workload, "bytes") == 1 ? CV_8UC1 : CV_32FC1;
  const cv::Mat from(size_of(workload, "rows"), size_of(workload, "columns"), type,
                     cv::Scalar::all(1));
  cv::Mat to;
  return least_ms(budget_ms, [&] { cv::transpose(from, to); });
}

double mean_std_dev_ms(const Workload& workload, double budget_ms) {
  const cv::Mat image = picture(size_of(workload, "pixels"), 1, 1);
  const int images = size_of(workload, "images");
  cv::Scalar mean;
  cv::Scalar deviation;
  return least_ms(budget_ms, [&] {
    for (int i = 0; i < images; ++i) cv::meanStdDev(image, mean, deviation);
  });
}

cv::Mat float_noise(int rows, int columns, std::uint64_t seed) {
  std::vector<float> values =
      noise_values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), seed);
  return cv::Mat(rows, columns, CV_32FC1, values.data()).clone();
}

double filter_2d_ms(const Workload& workload, double budget_ms) {
  const cv::Mat image = float_noise(size_of(workload, "rows"), size_of(workload, "columns"), 1);
  const cv::Mat filter = float_noise(size_of(workload, "height"), size_of(workload, "width"), 2);
  cv::Mat result;
  return least_ms(budget_ms, [&] { cv::filter2D(image, result, -1, filter); });
}

double sep_filter_2d_ms(const Workload& workload, double budget_ms) {
  const cv::Mat image = float_noise(size_of(workload, "rows"), size_of(workload, "columns"), 1);
  const cv::Mat column = float_noise(size_of(workload, "height"), 1, 2);
  const cv::Mat row = float_noise(1, size_of(workload, "width"), 3);
  cv::Mat result;
  return least_ms(budget_ms, [&] { cv::sepFilter2D(image, result, -1, row, column); });
}

double integral_ms(const Workload& workload, double budget_ms) {
  const cv::Mat image = picture(size_of(workload, "width"), size_of(workload, "height"), 1);
  cv::Mat sums;
  return least_ms(budget_ms, [&] { cv::integral(image, sums, CV_32S); });
}

double sift_ms(const Workload& workload, double budget_ms) {
  GrayImage image = textured_picture(size_of(workload, "width"), size_of(workload, "height"), 1);
  const cv::Mat photo(image.height, image.width, CV_8UC1, image.pixels.data());
  const cv::Ptr<cv::SIFT> sift = cv::SIFT::create(kSiftFeatures);
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat descriptors;
  return least_ms(budget_ms, [&] {
    for (int i = 0; i < size_of(workload, "images"); ++i) {
      sift->detectAndCompute(photo, {}, keypoints, descriptors);
    }
  });
}

}  // namespace

std::vector<Peer> opencv_peers(const Workload& workload) {
  using Time = double (*)(const Workload&, double);
  const auto peer = [&](const char* name, Time time) {
    return Peer{fmt::format("OpenCV {}, {} threads", name, cv::getNumThreads()),
                [workload, time](double budget_ms) { return time(workload, budget_ms); }};
  };
  if (workload.kernel == "correlation") return {peer("matchTemplate", match_template_ms)};
  if (workload.kernel == "transpose") return {peer("transpose", transpose_ms)};
  if (workload.kernel == "variance") return {peer("meanStdDev", mean_std_dev_ms)};
  if (workload.kernel == "convolution") {
    return {peer("filter2D", filter_2d_ms), peer("sepFilter2D", sep_filter_2d_ms)};
  }
  if (workload.kernel == "integral_image") return {peer("integral", integral_ms)};
  if (workload.kernel == "surf") return {peer("SIFT", sift_ms)};
  return {};
}

}  // namespace lookalike
