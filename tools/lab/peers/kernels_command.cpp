// The kernels of lookalike bench beside OpenCV and FAISS.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#ifdef LOOKALIKE_FAISS
#include <faiss/IndexFlat.h>
#endif

#include "base/error.h"
#include "kernels/benchmark/benchmark.h"
#include "kernels/synthetic_data.h"
#include "pipeline/device/open_session.h"
#include "tools/lab/peers/commands.h"

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

// Results are members of the runs, so that only the first run allocates.
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

#ifdef LOOKALIKE_FAISS
using Label = faiss::Index::idx_t;

struct Search {
  Search(std::size_t words, std::size_t count, std::size_t dimensions)
      : index(static_cast<Label>(dimensions)),
        descriptors(synthetic_descriptors(count, dimensions, 2)),
        distances(count),
        labels(count) {
    index.add(static_cast<Label>(words), synthetic_descriptors(words, dimensions, 1).data());
  }
  void run() {
    index.search(static_cast<Label>(labels.size()), descriptors.data(), 1, distances.data(),
                 labels.data());
  }
  faiss::IndexFlatL2 index;
  std::vector<float> descriptors;
  std::vector<float> distances;
  std::vector<Label> labels;
};

Run faiss_search(const KernelCase& problem) {
  const auto sizes = problem.all_sizes();
  const auto search =
      std::make_shared<Search>(sizes.at("words"), sizes.at("descriptors"), sizes.at("dimensions"));
  return [search] { search->run(); };
}
#endif

// Another library's solution of a case on the host.
struct Peer {
  std::string name;
  std::function<Run()> prepare;  // on random inputs of the case's sizes; each run solves it once
};

// Empty for kernels without peers. SIFT stands beside SURF, which distributions leave out.
std::vector<Peer> peers_of(const KernelCase& problem) {
  const auto peer = [&](const char* name, Run (*prepare)(const KernelCase&)) {
    return Peer{fmt::format("OpenCV {}, {} threads", name, cv::getNumThreads()),
                [=] { return prepare(problem); }};
  };
#ifdef LOOKALIKE_FAISS
  if (problem.kernel == "assign") {
    return {{"FAISS IndexFlatL2, all threads", [=] { return faiss_search(problem); }}};
  }
#endif
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

// Limits for timing one contender in one round.
constexpr TimingLimits kLimits = {.budget_ms = 100, .min_runs = 1};

struct Contender {
  std::string name;
  Run run;
  double wall_ms = std::numeric_limits<double>::infinity();
};

void race(OpenClSession& session, const KernelCase& problem, const std::vector<Peer>& peers,
          int rounds) {
  const std::string variant = chosen_variant(session, problem);
  const auto run = problem.prepare(variant).solve;
  std::vector<Contender> others;
  for (const Peer& peer : peers) others.push_back({peer.name, peer.prepare()});
  Timing ours = time_runs(session, run, kLimits);
  for (int round = 0; round < rounds; ++round) {
    for (Contender& other : others) {
      other.wall_ms = std::min(other.wall_ms, time_runs(session, other.run, kLimits).wall_ms);
    }
    ours = least_of(std::move(ours), time_runs(session, run, kLimits));
  }
  fmt::print("\n{} {}\n", problem.kernel, to_string(problem.all_sizes()));
  fmt::print("  {:<34} {:>10.3f} {:>10.3f}\n", "ours, " + variant, ours.kernel_ms, ours.wall_ms);
  for (const Contender& other : others) {
    fmt::print("  {:<34} {:>10} {:>10.3f} {:>10.2f} {:>10.2f}\n", other.name, "", other.wall_ms,
               other.wall_ms / ours.kernel_ms, other.wall_ms / ours.wall_ms);
  }
  std::fflush(stdout);
}

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("device.choice");
    command.add_option("--kernel", kernel, "Only this kernel: assign, correlation, ...");
    command.add_option("--rounds", rounds, "Rounds, in which all take turns")
        ->check(CLI::PositiveNumber);
    command.add_flag("--quick", quick, "Tiny sizes, as a quick check");
  }
  ConfigArguments config;
  std::string kernel;
  int rounds = 3;
  bool quick = false;
};

int race_kernels(const Arguments& arguments) {
  SessionOptions options = session_options(arguments.config.load().device);
  options.profile = true;
  OpenClSession session(options);
  fmt::print("{}, driver {}\n  {:<34} {:>10} {:>10} {:>10} {:>10}\n", session.device().name,
             session.device().driver, "", "kernel ms", "wall ms", "x kernel", "x wall");
  const auto scale = arguments.quick ? CaseScale::kQuick : CaseScale::kFull;
  bool found = false;
  for (const KernelCase& problem : all_cases(session, scale)) {
    if (!arguments.kernel.empty() && problem.kernel != arguments.kernel) continue;
    const std::vector<Peer> peers = peers_of(problem);
    if (peers.empty()) continue;
    race(session, problem, peers, arguments.rounds);
    found = true;
  }
  if (!found) {
    throw Error(ErrorKind::kUsage,
                fmt::format("kernels: '{}' has no peer in this build", arguments.kernel));
  }
  return kExitDone;
}

}  // namespace

void add_kernel_peers(CLI::App& app, Action& action) {
  add_command(
      app, action, "kernels",
      "The kernels of lookalike bench, each in its variant in use, beside their peers",
      "Output: least kernel time and least wall time, with all transfers, of our kernels; of each "
      "peer the wall time and its ratios to ours.\n"
      "Example: lookalike-peers kernels --kernel correlation",
      race_kernels);
}

}  // namespace lookalike
