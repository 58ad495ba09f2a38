#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/random.h"
#include "pipeline/open_session.h"
#include "stages/match/locate/exhaustive_search.h"
#include "tools/command_line/command_line.h"
#include "tools/peers/commands.h"
#include "tools/peers/locate_cases.h"

namespace lookalike {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Bars {
 public:
  Bars(const DeviceOptions& device, int cases)
      : cases_(cases),
        session_(session_options(device)),
        search_(session_),
        photos_(load_photos()) {
    std::printf("device: %s\n", session_.device().name.c_str());
  }

  // Exact crops of 20 sizes; `light` brings them to another gain and offset, unclipped.
  void exact(bool light) {
    const auto start = std::chrono::steady_clock::now();
    Random random(1);
    int found = 0;
    double lowest = 1;
    for (int i = 0; i < cases_; ++i) {
      const int side = static_cast<int>(std::lround(16 * std::pow(32.0, (i % 20) / 19.0)));
      Cut cut = random_cut(photos_, random, side, std::min(side, 480), 1);
      if (light) change_light(cut.pixels, random);
      const SearchResult result = find(cut.pixels, photos_[cut.photo]);
      const bool right = !result.hits.empty() && is_at(result.hits[0], cut.x, cut.y) &&
                         result.hits[0].fit.correlation >= 0.9999 - (light ? rounding(cut) : 0);
      found += right ? 1 : 0;
      if (!result.hits.empty()) lowest = std::min(lowest, result.hits[0].fit.correlation);
      if (!right) explain(i, cut, result);
    }
    std::printf("%s crops: %d of %d at the exact pixel, lowest correlation %.6f  (%.0f s)\n",
                light ? "brightened" : "exact", found, cases_, lowest, seconds_since(start));
  }

  void turned() {
    const auto start = std::chrono::steady_clock::now();
    Random random(2);
    int found = 0;
    for (int i = 0; i < cases_; ++i) {
      const int width = 48 + random.below(100);
      const int height = 48 + random.below(100);
      const Cut cut = random_cut(photos_, random, width, height, 15);
      const double turn = random.between(-180, 180);
      const double scale = random.between(0.7, 1.4);
      const GrayImage& wall =
          photos_[(cut.photo + 1 + static_cast<std::size_t>(random.below(5))) % photos_.size()];
      cv::Mat scene = as_mat(wall).clone();
      const double reach = scale * std::hypot(width, height) / 2 + 2;
      const double x = random.between(reach, wall.width - reach);
      const double y = random.between(reach, wall.height - reach);
      paste(cut.pixels, {x, y}, turn, scale, scene);
      add_noise(scene, 5, random);
      const SearchResult result = find(cut.pixels, of_mat(scene));
      if (result.hits.empty()) {
        explain(i, cut, result);
        continue;
      }
      const CentrePose& pose = result.hits[0].fit.pose;
      const double off_px = std::hypot(pose.centre.x - x, pose.centre.y - y);
      const double off_degrees =
          std::abs(std::remainder(pose.turn_scale.turn * 180 / std::numbers::pi - turn, 360.0));
      const double off_scale = std::abs(pose.turn_scale.scale / scale - 1);
      const bool right = off_px <= 0.5 && off_degrees <= 0.25 && off_scale <= 0.005;
      found += right ? 1 : 0;
      if (!right) {
        std::printf(
            "  %d: %dx%d of %s, turn %.1f scale %.3f: off %.2f px %.2f degrees %.4f, "
            "correlation %.3f\n",
            i, width, height, kPhotos[cut.photo], turn, scale, off_px, off_degrees, off_scale,
            result.hits[0].fit.correlation);
      }
    }
    std::printf("turned and scaled, noise 5: %d of %d  (%.0f s)\n", found, cases_,
                seconds_since(start));
  }

  void absent() {
    const auto start = std::chrono::steady_clock::now();
    Random random(3);
    int wrong = 0;
    std::vector<double> best;
    for (int i = 0; i < cases_; ++i) {
      const Cut cut =
          random_cut(photos_, random, 48 + random.below(100), 48 + random.below(100), 15);
      const std::size_t other =
          (cut.photo + 1 + static_cast<std::size_t>(random.below(10))) % photos_.size();
      LocateOptions options;
      options.min_correlation = 0.6;  // to see how near the others come
      const SearchResult result =
          search_.find(SearchObject(cut.pixels.view(), {}), photos_[other].view(), options);
      best.push_back(result.hits.empty() ? 0 : result.hits[0].fit.correlation);
      if (best.back() < LocateOptions{}.min_correlation) continue;
      ++wrong;
      std::printf("  %d: %dx%d of %s in %s: %.3f\n", i, cut.pixels.width, cut.pixels.height,
                  kPhotos[cut.photo], kPhotos[other], best.back());
    }
    std::sort(best.rbegin(), best.rend());
    std::printf("absent: %d of %d have a hit; highest correlations %.3f %.3f %.3f %.3f  (%.0f s)\n",
                wrong, cases_, best[0], best[1], best[2], best[3], seconds_since(start));
  }

  // Ten copies in a 1080p scene, at any turn.
  void copies() {
    const auto start = std::chrono::steady_clock::now();
    Random random(4);
    int good = 0;
    const int scenes = std::min(cases_, 20);
    for (int i = 0; i < scenes; ++i) {
      const Cut cut = random_cut(photos_, random, 96, 80, 20);
      const GrayImage& wall = photos_[(cut.photo + 3) % photos_.size()];
      cv::Mat scene;
      cv::resize(as_mat(wall), scene, {1920, 1080});
      std::vector<Point> places;
      for (int n = 0; n < 10; ++n) {
        const Point at = {200.0 + 375 * (n % 5) + random.between(-40, 40),
                          270.0 + 540 * (n / 5) + random.between(-40, 40)};
        paste(cut.pixels, at, random.between(-180, 180), random.between(0.75, 1.35), scene);
        places.push_back(at);
      }
      add_noise(scene, 3, random);
      const SearchResult result = find(cut.pixels, of_mat(scene));
      std::set<std::size_t> met;
      bool strangers = false;
      for (const PoseHit& hit : result.hits) {
        const auto near = std::find_if(places.begin(), places.end(), [&](const Point& at) {
          return std::hypot(at.x - hit.fit.pose.centre.x, at.y - hit.fit.pose.centre.y) < 2;
        });
        if (near == places.end()) {
          strangers = true;
        } else {
          met.insert(static_cast<std::size_t>(near - places.begin()));
        }
      }
      good += met.size() == 10 && !strangers ? 1 : 0;
      if (met.size() != 10 || strangers) {
        std::printf("  %d (%s): %zu of 10, %zu hits\n", i, kPhotos[cut.photo], met.size(),
                    result.hits.size());
      }
    }
    std::printf("ten copies: all and nothing else in %d of %d scenes  (%.0f s)\n", good, scenes,
                seconds_since(start));
  }

  void speed() {
    Random random(6);
    cv::Mat wall;
    cv::resize(as_mat(photos_[0]), wall, {1920, 1080});
    const Cut cut = random_cut(photos_, random, 128, 128, 25);
    paste(cut.pixels, {700, 500}, 33, 1, wall);
    const GrayImage scene = of_mat(wall);
    LocateOptions options;
    options.min_scale = options.max_scale = 1;
    const SearchObject object(cut.pixels.view(), {});
    double ours = 1e9;
    SearchResult result;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      result = search_.find(object, scene.view(), options);
      ours = std::min(ours, seconds_since(start));
    }
    std::printf("360 degrees, 128x128 in 1080p: %.2f ms, %zu hits\n", ours * 1e3,
                result.hits.size());
    if (!session_.is_cpu()) return;
    const int angles = static_cast<int>(std::ceil(2 * std::numbers::pi * object.rim_px()));
    constexpr int kTimed = 5;
    const auto start = std::chrono::steady_clock::now();
    cv::Mat theirs;
    for (int i = 0; i < kTimed; ++i) {
      const cv::Mat turn = cv::getRotationMatrix2D({63.5, 63.5}, i * 360.0 / angles, 1);
      cv::Mat turned;
      cv::warpAffine(as_mat(cut.pixels), turned, turn, {128, 128});
      cv::matchTemplate(wall, turned, theirs, cv::TM_CCOEFF_NORMED);
    }
    const double all = seconds_since(start) / kTimed;
    const int coarse = static_cast<int>(
        PoseGrid(options, object.rim_px(), object.coarsest(1)).coarsest_poses().size());
    std::printf(
        "cv::matchTemplate: %.1f ms an angle; at all %d: %.1f times as long; "
        "at the %d of the coarsest level: %.1f times\n",
        all * 1e3, angles, all * angles / ours, coarse, all * coarse / ours);
  }

  void huge() {
    Random random(7);
    const Cut cut = random_cut(photos_, random, 128, 128, 25);
    cv::Mat wall;
    cv::resize(as_mat(photos_[0]), wall, {20000, 20000});
    const std::array<Point, 3> places = {Point{300.3, 411.2}, Point{10007.5, 9996.1},
                                         Point{19870, 19801.7}};
    for (const Point& at : places) paste(cut.pixels, at, 70, 1.1, wall);
    GrayImage scene = of_mat(wall);
    wall.release();
    const auto start = std::chrono::steady_clock::now();
    const SearchResult result = find(cut.pixels, scene);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("20,000 x 20,000: %zu of 3 found in %.0f s, peak memory %.2f GiB\n",
                result.hits.size(), seconds_since(start),
                static_cast<double>(usage.ru_maxrss) / (1 << 20));
  }

 private:
  SearchResult find(const GrayImage& object, const GrayImage& scene) {
    return search_.find(SearchObject(object.view(), {}), scene.view(), {});
  }

  static bool is_at(const PoseHit& hit, int x, int y) {
    const Homography wanted{{1, 0, static_cast<double>(x), 0, 1, static_cast<double>(y), 0, 0, 1}};
    for (std::size_t i = 0; i < 9; ++i) {
      if (std::abs(hit.object_to_scene.h[i] - wanted.h[i]) > 1e-6) return false;
    }
    return true;
  }

  static void explain(int number, const Cut& cut, const SearchResult& result) {
    std::printf("  %d: %dx%d of %s, contrast %.1f: ", number, cut.pixels.width, cut.pixels.height,
                kPhotos[cut.photo], contrast(cut.pixels));
    if (result.hits.empty()) {
      std::printf("%s\n", result.reason.c_str());
      return;
    }
    const FittedPose& fit = result.hits[0].fit;
    std::printf("at (%.2f, %.2f) turn %.3f scale %.4f correlation %.5f, wanted (%.1f, %.1f)\n",
                fit.pose.centre.x, fit.pose.centre.y, fit.pose.turn_scale.turn,
                fit.pose.turn_scale.scale, fit.correlation, cut.x + (cut.pixels.width - 1) / 2.0,
                cut.y + (cut.pixels.height - 1) / 2.0);
  }

  int cases_;
  OpenClSession session_;
  ExhaustiveSearch search_;
  std::vector<GrayImage> photos_;
};

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("--device", "device.choice");
    command.add_option("BAR", bars, "Default: all but huge")
        ->check(CLI::IsMember({"exact", "light", "turned", "absent", "copies", "speed", "huge"}));
    command.add_option("--cases", cases, "Of each bar")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::vector<std::string> bars = {"exact", "light", "turned", "absent", "copies", "speed"};
  int cases = 200;
};

int measure(const Arguments& arguments) {
  Bars bars(arguments.config.load().device, arguments.cases);
  for (const std::string& bar : arguments.bars) {
    if (bar == "exact") bars.exact(false);
    if (bar == "light") bars.exact(true);
    if (bar == "turned") bars.turned();
    if (bar == "absent") bars.absent();
    if (bar == "copies") bars.copies();
    if (bar == "speed") bars.speed();
    if (bar == "huge") bars.huge();
  }
  return kExitDone;
}

}  // namespace

void add_locate_bars(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "locate",
      "What locate --method correlation is to reach, on photos of the package opencv-doc");
  command->footer("Output: a line a bar, and what failed; docs/locate.md lists the bars.");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return measure(*arguments); }; });
}

}  // namespace lookalike
