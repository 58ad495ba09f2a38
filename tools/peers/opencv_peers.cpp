#include <string>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/inputs.h"
#include "tools/peers/peers.h"

namespace lookalike {
namespace {

constexpr int kSiftFeatures = 5000;

using Run = std::function<void()>;

int size_of(const KernelCase& problem, const char* name) {
  return static_cast<int>(problem.all_sizes().at(name));
}

cv::Mat as_mat(GrayImage image) {
  return cv::Mat(image.height, image.width, CV_8UC1, image.pixels.data()).clone();
}

cv::Mat picture(int width, int height, std::uint64_t seed) {
  return as_mat(noise_picture(width, height, seed));
}

cv::Mat float_noise(int rows, int columns, std::uint64_t seed) {
  std::vector<float> values =
      noise_values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), seed);
  return cv::Mat(rows, columns, CV_32FC1, values.data()).clone();
}

// Results are members of the runs, so that only the first one meets fresh memory.
Run match_template(const KernelCase& problem) {
  std::vector<cv::Mat> patterns(static_cast<std::size_t>(size_of(problem, "patterns")));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] =
        picture(size_of(problem, "pattern_width"), size_of(problem, "pattern_height"), 2 + i);
  }
  return [patterns, map = cv::Mat(),
          image = picture(size_of(problem, "width"), size_of(problem, "height"), 1)]() mutable {
    for (const cv::Mat& pattern : patterns) {
      cv::matchTemplate(image, pattern, map, cv::TM_CCOEFF_NORMED);
    }
  };
}

Run transpose(const KernelCase& problem) {
  const int type = size_of(problem, "bytes") == 1 ? CV_8UC1 : CV_32FC1;
  const cv::Mat from(size_of(problem, "rows"), size_of(problem, "columns"), type,
                     cv::Scalar::all(1));
  return [from, to = cv::Mat()]() mutable { cv::transpose(from, to); };
}

Run mean_std_dev(const KernelCase& problem) {
  return [image = picture(size_of(problem, "pixels"), 1, 1), images = size_of(problem, "images")] {
    cv::Scalar mean;
    cv::Scalar deviation;
    for (int i = 0; i < images; ++i) cv::meanStdDev(image, mean, deviation);
  };
}

cv::Mat image_to_filter(const KernelCase& problem) {
  return float_noise(size_of(problem, "rows"), size_of(problem, "columns"), 1);
}

Run filter_2d(const KernelCase& problem) {
  return [image = image_to_filter(problem), result = cv::Mat(),
          filter = float_noise(size_of(problem, "height"), size_of(problem, "width"),
                               2)]() mutable { cv::filter2D(image, result, -1, filter); };
}

Run sep_filter_2d(const KernelCase& problem) {
  return [image = image_to_filter(problem), result = cv::Mat(),
          column = float_noise(size_of(problem, "height"), 1, 2),
          row = float_noise(1, size_of(problem, "width"), 3)]() mutable {
    cv::sepFilter2D(image, result, -1, row, column);
  };
}

Run integral(const KernelCase& problem) {
  return [image = picture(size_of(problem, "width"), size_of(problem, "height"), 1),
          sums = cv::Mat()]() mutable { cv::integral(image, sums, CV_32S); };
}

Run sift(const KernelCase& problem) {
  return
      [photo = as_mat(textured_picture(size_of(problem, "width"), size_of(problem, "height"), 1)),
       images = size_of(problem, "images"), detector = cv::SIFT::create(kSiftFeatures)] {
        std::vector<cv::KeyPoint> keypoints;
        cv::Mat descriptors;
        for (int i = 0; i < images; ++i) {
          detector->detectAndCompute(photo, {}, keypoints, descriptors);
        }
      };
}

}  // namespace

std::vector<Peer> opencv_peers(const KernelCase& problem) {
  const auto peer = [&](const char* name, Run (*prepare)(const KernelCase&)) {
    return Peer{fmt::format("OpenCV {}, {} threads", name, cv::getNumThreads()),
                [=] { return prepare(problem); }};
  };
  if (problem.kernel == "correlation") return {peer("matchTemplate", match_template)};
  if (problem.kernel == "transpose") return {peer("transpose", transpose)};
  if (problem.kernel == "variance") return {peer("meanStdDev", mean_std_dev)};
  if (problem.kernel == "convolution") {
    return {peer("filter2D", filter_2d), peer("sepFilter2D", sep_filter_2d)};
  }
  if (problem.kernel == "integral_image") return {peer("integral", integral)};
  if (problem.kernel == "surf") return {peer("SIFT", sift)};
  return {};
}

}  // namespace lookalike
