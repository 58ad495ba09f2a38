// SURF of photos, and indexing, beside OpenCV's SIFT.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "base/error.h"
#include "kernels/surf/surf.h"
#include "pipeline/device/open_session.h"
#include "pipeline/index/index_run.h"
#include "pipeline/staged/single_stage.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/scratch_folder.h"
#include "tools/evaluate/metrics.h"
#include "tools/lab/peers/commands.h"

namespace lookalike {
namespace {

constexpr int kThreads = 2;  // of either side
constexpr int kSiftFeatures = 2000;

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_sift(const cv::Mat& photo) {
  std::vector<cv::KeyPoint> found;
  cv::Mat descriptors;
  cv::SIFT::create(kSiftFeatures)->detectAndCompute(photo, {}, found, descriptors);
}

struct SurfArguments {
  explicit SurfArguments(CLI::App& command) : config(command) {
    config.add("device.choice");
    command.add_option("IMAGE", images, "Photos")->required();
    command.add_option("--runs", runs, "Runs of each side, in turns")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::vector<std::string> images;
  int runs = 15;
};

void race_photo(Surf& surf, const std::string& path, int runs) {
  const cv::Mat photo = must_load_pixels(path, PixelMode::kGray, {}).pixels;
  const std::vector<ImageView> images = {{photo.data, photo.cols, photo.rows}};
  std::size_t keypoints = 0;
  std::vector<double> ours_ms;
  std::vector<double> sift_ms;
  for (int run = 0; run <= runs; ++run) {
    const double ours_s = seconds([&] { keypoints = surf.extract(images).front().size(); });
    const double sift_s = seconds([&] { run_sift(photo); });
    if (run == 0) continue;  // compiles and warms up
    ours_ms.push_back(1e3 * ours_s);
    sift_ms.push_back(1e3 * sift_s);
  }
  fmt::print("{:<24} {:>9} {:>9.2f} {:>9.2f} {:>7.2f}\n",
             std::filesystem::path(path).filename().string(), keypoints, median(ours_ms),
             median(sift_ms), median(sift_ms) / median(ours_ms));
}

int race_surf(const SurfArguments& arguments) {
  cv::setNumThreads(kThreads);
  OpenClSession session(session_options(arguments.config.load().device));
  Surf surf(session, {.hessian_threshold = 400});
  fmt::print("{}, threshold 400; SIFT with at most {} features, {} threads\n",
             session.device().name, kSiftFeatures, kThreads);
  fmt::print("{:<24} {:>9} {:>9} {:>9} {:>7}\n", "image", "keypoints", "ours ms", "SIFT ms",
             "ratio");
  for (const std::string& image : arguments.images) race_photo(surf, image, arguments.runs);
  return kExitDone;
}

struct IndexArguments {
  explicit IndexArguments(CLI::App& command) : config(command) {
    config.add("device.choice");
    command.add_option("FOLDER", folder, "Folder of photos")->required();
    command.add_option("--runs", runs, "Runs of each side, in turns")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::string folder;
  int runs = 3;
};

IndexRunReport index_anew(RunConfig config) {
  const ScratchFolder folder;
  config.store.database = folder.path() / "index.db";
  return run_index(config, Progress::Style::kQuiet);
}

int race_index(const IndexArguments& arguments) {
  RunConfig config = arguments.config.load();
  config.images.folders = {arguments.folder};
  config.images.decode_threads = kThreads;
  std::vector<cv::Mat> photos;
  for (const SourceFile& file : scan_images(config.images).files) {
    photos.push_back(must_load_pixels(file.path, PixelMode::kGray, config.images).pixels);
  }
  const auto count = static_cast<double>(photos.size());
  cv::setNumThreads(kThreads);
  index_anew(config);  // compiles the kernels
  fmt::print("{} images\n{:>10} {:>10} {:>7}\n", photos.size(), "ours 1/s", "SIFT 1/s", "ratio");
  for (int i = 0; i < arguments.runs; ++i) {
    const IndexRunReport report = index_anew(config);
    const double sift_s = seconds([&] {
      for (const cv::Mat& photo : photos) run_sift(photo);
    });
    fmt::print("{:>10.1f} {:>10.1f} {:>7.2f} ", count / report.elapsed_seconds, count / sift_s,
               sift_s / report.elapsed_seconds);
    for (const auto& [stage, busy_s] : report.busy_seconds) {
      fmt::print(" {} {:.2f} s", stage, busy_s);
    }
    fmt::print("\n");
  }
  return kExitDone;
}

}  // namespace

void add_surf_peers(CLI::App& app, Action& action) {
  add_command(app, action, "surf", "SURF of photos beside OpenCV's SIFT",
              "Output: median milliseconds of each, ours with the copies to and from the device, "
              "and the ratio of SIFT's time to ours.\n"
              "Example: lookalike-peers surf graf1.png home.jpg",
              race_surf);
}

void add_index_peers(CLI::App& app, Action& action) {
  add_command(app, action, "index",
              "A new index of a folder, training included, beside OpenCV's SIFT alone",
              "Output: images per second of each, and the busy time of our stages. SIFT's images "
              "are decoded beforehand.\n"
              "Example: lookalike-peers index photos",
              race_index);
}

}  // namespace lookalike
