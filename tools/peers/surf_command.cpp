#include <algorithm>
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
#include "kernels/surf/surf.h"
#include "pipeline/open_session.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/command_line.h"
#include "tools/peers/commands.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("--device", "device.choice");
    command.add_option("IMAGE", images, "Photos")->required();
    command.add_option("--runs", runs, "Of each, in turns")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::vector<std::string> images;
  int runs = 15;
};

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
  const cv::Mat photo = must_load_pixels(path, cv::IMREAD_GRAYSCALE, {}).pixels;
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
  fmt::print("{:<24} {:>9} {:>9.2f} {:>9.2f} {:>7.2f}\n", path.substr(path.rfind('/') + 1),
             keypoints, median(ours), median(sifts), median(sifts) / median(ours));
}

int race_surf(const Arguments& arguments) {
  cv::setNumThreads(kThreads);
  OpenClSession session(session_options(arguments.config.load().device));
  Surf surf(session, {.hessian_threshold = 400});
  fmt::print("{}, threshold 400; SIFT with at most {} features, {} threads\n",
             session.device().name, kSiftFeatures, kThreads);
  fmt::print("{:<24} {:>9} {:>9} {:>9} {:>7}\n", "image", "keypoints", "ours ms", "SIFT ms",
             "ratio");
  for (const std::string& image : arguments.images) time_image(surf, image, arguments.runs);
  return kExitDone;
}

}  // namespace

void add_surf_peers(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("surf", "SURF of photos beside OpenCV's SIFT");
  command->footer(
      "Output: median milliseconds of each, ours with the copies to and from the device, and how\n"
      "many times ours SIFT takes.\n"
      "Example: lookalike-peers surf graf1.png home.jpg");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return race_surf(*arguments); }; });
}

}  // namespace lookalike
