#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"
#include "base/scan.h"
#include "pipeline/index/index_run.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/command_line.h"
#include "tools/peers/commands.h"
#include "tools/scratch_folder.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("--device", "device.choice");
    command.add_option("FOLDER", folder, "Photos")->required();
    command.add_option("--runs", runs, "Of each, in turns")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::string folder;
  int runs = 3;
};

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

IndexRunReport index_anew(RunConfig config) {
  const ScratchFolder folder;
  config.store.database = folder.path() / "index.db";
  return run_index(config, Progress::Style::kQuiet);
}

int race_index(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  config.images.folders = {arguments.folder};
  config.images.decode_threads = kThreads;
  std::vector<cv::Mat> photos;
  for (const SourceFile& file :
       scan_folders(config.images.folders, config.images.extensions).files) {
    photos.push_back(must_load_pixels(file.path, cv::IMREAD_GRAYSCALE, config.images).pixels);
  }
  const auto count = static_cast<double>(photos.size());
  cv::setNumThreads(kThreads);
  index_anew(config);  // compiles the kernels
  fmt::print("{} images\n{:>10} {:>10} {:>7}\n", photos.size(), "ours 1/s", "SIFT 1/s", "ratio");
  for (int i = 0; i < arguments.runs; ++i) {
    const IndexRunReport report = index_anew(config);
    const double sift_s = seconds_of_sift(photos);
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

void add_index_peers(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "index", "A new index of a folder, training included, beside OpenCV's SIFT alone");
  command->footer(
      "Output: images a second of each, and how long our stages were busy. SIFT's images are read "
      "and\n"
      "decoded beforehand.\n"
      "Example: lookalike-peers index photos");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return race_index(*arguments); }; });
}

}  // namespace lookalike
