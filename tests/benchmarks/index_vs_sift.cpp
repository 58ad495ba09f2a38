// Times `lookalike index` on a folder (a new index, training included) beside OpenCV's SIFT
// computing features alone on the same images, interleaved in one run, two threads each.
//   index_vs_sift FOLDER [RUNS]
// The table goes to stdout: images per second of each, and the share of the time that our stages
// were busy. Images that SIFT sees are read and decoded beforehand.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"
#include "base/main_guard.h"
#include "base/scan.h"
#include "pipeline/index/index_run.h"

namespace lookalike {
namespace {

constexpr int kThreads = 2;
constexpr int kSiftFeatures = 2000;

double seconds_of_sift(const std::vector<cv::Mat>& photos) {
  const auto start = std::chrono::steady_clock::now();
  const auto sift = cv::SIFT::create(kSiftFeatures);
  for (const cv::Mat& photo : photos) {
    std::vector<cv::KeyPoint> found;
    cv::Mat descriptors;
    sift->detectAndCompute(photo, {}, found, descriptors);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

IndexRunReport index_anew(const RunConfig& config) {
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    std::filesystem::remove(config.store.database + suffix);
  }
  return run_index(config, Progress::Style::kQuiet);
}

int run(const std::string& folder, int runs) {
  RunConfig config;
  config.images.folders = {folder};
  config.images.decode_threads = kThreads;
  config.store.database = std::filesystem::temp_directory_path() / "index_vs_sift.db";
  std::vector<cv::Mat> photos;
  for (const SourceFile& file :
       scan_folders(config.images.folders, config.images.extensions).files) {
    photos.push_back(cv::imread(file.path, cv::IMREAD_GRAYSCALE));
  }
  const auto count = static_cast<double>(photos.size());
  cv::setNumThreads(kThreads);
  index_anew(config);  // compiles the kernels
  std::printf("%zu images\n%10s %10s %7s\n", photos.size(), "ours 1/s", "SIFT 1/s", "ratio");
  for (int i = 0; i < runs; ++i) {
    const IndexRunReport report = index_anew(config);
    const double sift_s = seconds_of_sift(photos);
    std::printf("%10.1f %10.1f %7.2f ", count / report.elapsed_seconds, count / sift_s,
                sift_s / report.elapsed_seconds);
    for (const auto& [stage, busy_s] : report.busy_seconds) {
      std::printf(" %s %.2f s", stage.c_str(), busy_s);
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("index_vs_sift", [&] {
    if (argc < 2) throw lookalike::Error(lookalike::ErrorKind::kUsage, "name a folder of images");
    return lookalike::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3);
  });
}
