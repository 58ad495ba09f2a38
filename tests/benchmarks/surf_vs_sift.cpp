// Times our SURF beside OpenCV's SIFT, interleaved in one run, two threads each.
//   surf_vs_sift [--runs N] [--profile] IMAGE...
// The table goes to stdout: median milliseconds of each and their ratio. Ours includes the copies
// to and from the device.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgcodecs.hpp>

#include "kernels/surf/surf.h"

namespace lookalike {
namespace {

constexpr int kThreads = 2;
constexpr int kSiftFeatures = 2000;

struct Options {
  int runs = 15;
  bool profile = false;
  std::vector<std::string> images;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--profile") {
      options.profile = true;
    } else if (argument == "--runs" && i + 1 < argc) {
      options.runs = std::max(1, std::atoi(argv[++i]));
    } else {
      options.images.push_back(argument);
    }
  }
  return options;
}

template <typename Work>
double milliseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void time_image(Surf& surf, const std::string& path, int runs) {
  const cv::Mat photo = cv::imread(path, cv::IMREAD_GRAYSCALE);
  if (photo.empty()) {
    std::fprintf(stderr, "surf_vs_sift: cannot read %s\n", path.c_str());
    return;
  }
  const std::vector<ImageView> images = {{photo.data, photo.cols, photo.rows}};
  std::size_t keypoints = 0;
  std::vector<double> ours;
  std::vector<double> sifts;
  for (int run = 0; run <= runs; ++run) {
    const double our_ms = milliseconds([&] { keypoints = surf.extract(images).front().size(); });
    const double sift_ms = milliseconds([&] {
      std::vector<cv::KeyPoint> found;
      cv::Mat descriptors;
      cv::SIFT::create(kSiftFeatures)->detectAndCompute(photo, {}, found, descriptors);
    });
    if (run == 0) continue;  // compiles and warms up
    ours.push_back(our_ms);
    sifts.push_back(sift_ms);
  }
  std::printf("%-24s %9zu %9.2f %9.2f %7.3f\n", path.substr(path.rfind('/') + 1).c_str(), keypoints,
              median(ours), median(sifts), median(ours) / median(sifts));
}

int run(const Options& options) {
  cv::setNumThreads(kThreads);
  OpenClSession session({.profile = options.profile});
  Surf surf(session, {.hessian_threshold = 400});
  std::printf("%s, threshold 400; SIFT with at most %d features, %d threads\n",
              session.device().name.c_str(), kSiftFeatures, kThreads);
  std::printf("%-24s %9s %9s %9s %7s\n", "image", "keypoints", "ours ms", "SIFT ms", "ratio");
  for (const std::string& image : options.images) {
    time_image(surf, image, options.runs);
    for (const auto& [label, time] : session.drain_profile()) {
      std::printf("  %-22s %6.3f ms a launch\n", label.c_str(),
                  time.total_ms / static_cast<double>(time.launches));
    }
  }
  return 0;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run(lookalike::parse(argc, argv));
}
