// How well `locate --method correlation` works, on objects and scenes made of the photos of the
// package opencv-doc; docs/measurements/quality.md lists the results.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/geometry.h"
#include "base/image.h"
#include "base/random.h"
#include "pipeline/device/open_session.h"
#include "stages/decode/pixels.h"
#include "stages/match/locate/exhaustive_search.h"
#include "tools/lab/peers/commands.h"

namespace lookalike {
namespace {

constexpr std::array kPhotos = {"home.jpg",  "graf1.png",  "fruits.jpg",       "box_in_scene.png",
                                "board.jpg", "baboon.jpg", "building.jpg",     "aloeL.jpg",
                                "blox.jpg",  "stuff.jpg",  "starry_night.jpg", "rubberwhale1.png"};

GrayImage of_mat(const cv::Mat& mat) {
  GrayImage image(mat.cols, mat.rows);
  mat.copyTo(cv::Mat(mat.rows, mat.cols, CV_8U, image.pixels.data()));
  return image;
}

// The same pixels, not copied.
cv::Mat as_mat(const GrayImage& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

// Throws Error(kInput) if the package is missing.
std::vector<GrayImage> load_photos() {
  std::vector<GrayImage> photos;
  for (const char* name : kPhotos) {
    const std::string path = std::string("/usr/share/doc/opencv-doc/examples/data/") + name;
    photos.push_back(of_mat(must_load_pixels(path, PixelMode::kGray, {}).pixels));
  }
  return photos;
}

// Standard deviation of the pixels.
double contrast(const GrayImage& image) {
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(as_mat(image), mean, deviation);
  return deviation[0];
}

// A part of a photo.
struct Cut {
  GrayImage pixels;
  std::size_t photo = 0;
  int x = 0;
  int y = 0;
};

// Gain 0.5 to 2 and offset -40 to 40, such that nothing is clipped.
void change_light(GrayImage& image, Random& random) {
  const auto [low, high] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  const double most = std::min(2.0, 250.0 / std::max(1, *high - *low));
  const double gain = random.between(0.5, most);
  const double least_offset = std::max(-40.0, -gain * *low);
  const double most_offset = std::max(least_offset, std::min(40.0, 255 - gain * *high));
  double offset = random.between(least_offset, most_offset);
  if (gain * *high + offset > 255) offset = 255 - gain * *high;
  for (auto& pixel : image.pixels) {
    pixel = static_cast<std::uint8_t>(std::clamp(std::lround(gain * pixel + offset), 0L, 255L));
  }
}

void paste(const GrayImage& object, Point centre, double turn_degrees, double scale,
           cv::Mat& scene) {
  const double turn = turn_degrees * std::numbers::pi / 180;
  const double a = scale * std::cos(turn);
  const double b = scale * std::sin(turn);
  const double u = (object.width - 1) / 2.0;
  const double v = (object.height - 1) / 2.0;
  const cv::Matx23d map(a, -b, centre.x - a * u + b * v, b, a, centre.y - b * u - a * v);
  cv::warpAffine(as_mat(object), scene, map, scene.size(), cv::INTER_LINEAR,
                 cv::BORDER_TRANSPARENT);
}

void add_noise(cv::Mat& scene, double sigma, Random& random) {
  for (int y = 0; y < scene.rows; ++y) {
    for (int x = 0; x < scene.cols; ++x) {
      auto& pixel = scene.at<std::uint8_t>(y, x);
      pixel = cv::saturate_cast<std::uint8_t>(pixel + sigma * random.normal());
    }
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Each bar prints the cases that fail and returns a summary.
class Bars {
 public:
  Bars(const DeviceOptions& device, int cases)
      : cases_(cases),
        session_(session_options(device)),
        search_(session_),
        photos_(load_photos()) {
    fmt::print("device: {}\n", session_.device().name);
  }

  // Crops of 20 sizes.
  std::string exact() { return crops(false); }
  // The same with another gain and offset.
  std::string light() { return crops(true); }

  std::string turned() {
    Random random(2);
    int found = 0;
    for (int i = 0; i < cases_; ++i) {
      const int width = 48 + random.below(100);
      const int height = 48 + random.below(100);
      const Cut cut = random_cut(random, width, height, 15);
      const double turn = random.between(-180, 180);
      const double scale = random.between(0.7, 1.4);
      const GrayImage& wall = other_photo(cut, 5, random);
      cv::Mat scene = as_mat(wall).clone();
      const double reach = scale * std::hypot(width, height) / 2 + 2;
      const double x = random.between(reach, wall.width - reach);
      const double y = random.between(reach, wall.height - reach);
      paste(cut.pixels, {x, y}, turn, scale, scene);
      add_noise(scene, 5, random);
      const SearchResult result = find(cut.pixels, of_mat(scene));
      if (result.hits.empty()) {
        print_failure(i, cut, result.reason);
        continue;
      }
      const CentrePose& pose = result.hits[0].fit.pose;
      const double off_px = std::hypot(pose.centre.x - x, pose.centre.y - y);
      const double off_degrees =
          std::abs(std::remainder(pose.turn_scale.turn * 180 / std::numbers::pi - turn, 360.0));
      const double off_scale = std::abs(pose.turn_scale.scale / scale - 1);
      if (off_px <= 0.5 && off_degrees <= 0.25 && off_scale <= 0.005) {
        ++found;
        continue;
      }
      print_failure(
          i, cut,
          fmt::format("turn {:.1f} scale {:.3f}: off {:.2f} px {:.2f} degrees {:.4f}, "
                      "correlation {:.3f}",
                      turn, scale, off_px, off_degrees, off_scale, result.hits[0].fit.correlation));
    }
    return fmt::format("turned and scaled, noise 5: {} of {}", found, cases_);
  }

  std::string absent() {
    Random random(3);
    int wrong = 0;
    std::vector<double> best;
    for (int i = 0; i < cases_; ++i) {
      const Cut cut = random_cut(random, 48 + random.below(100), 48 + random.below(100), 15);
      const GrayImage& scene = other_photo(cut, 10, random);
      LocateOptions options;
      options.min_correlation = 0.6;  // to see how close the others come
      const SearchResult result =
          search_.find(SearchObject(cut.pixels.view(), {}), scene.view(), options);
      best.push_back(result.hits.empty() ? 0 : result.hits[0].fit.correlation);
      if (best.back() < LocateOptions{}.min_correlation) continue;
      ++wrong;
      print_failure(i, cut, fmt::format("correlation {:.3f} in another photo", best.back()));
    }
    std::ranges::sort(best, std::greater());
    best.resize(std::min<std::size_t>(best.size(), 4));
    return fmt::format("absent: {} of {} have a hit; highest correlations {:.3f}", wrong, cases_,
                       fmt::join(best, " "));
  }

  // Ten copies in a 1080p scene, at any turn.
  std::string copies() {
    Random random(4);
    int good = 0;
    const int scenes = std::min(cases_, 20);
    for (int i = 0; i < scenes; ++i) {
      const Cut cut = random_cut(random, 96, 80, 20);
      cv::Mat scene;
      cv::resize(as_mat(photos_[(cut.photo + 3) % photos_.size()]), scene, {1920, 1080});
      std::vector<Point> places;
      for (int n = 0; n < 10; ++n) {
        const Point at = {200.0 + 375 * (n % 5) + random.between(-40, 40),
                          270.0 + 540 * (n / 5) + random.between(-40, 40)};
        paste(cut.pixels, at, random.between(-180, 180), random.between(0.75, 1.35), scene);
        places.push_back(at);
      }
      add_noise(scene, 3, random);
      const SearchResult result = find(cut.pixels, of_mat(scene));
      std::set<std::size_t> found;  // places; places.size() for a hit elsewhere
      for (const PoseHit& hit : result.hits) {
        const auto near = std::ranges::find_if(places, [&](const Point& at) {
          return std::hypot(at.x - hit.fit.pose.centre.x, at.y - hit.fit.pose.centre.y) < 2;
        });
        found.insert(static_cast<std::size_t>(near - places.begin()));
      }
      if (found.size() == places.size() && !found.contains(places.size())) {
        ++good;
      } else {
        print_failure(i, cut,
                      fmt::format("{} places, strangers counted as one; {} hits", found.size(),
                                  result.hits.size()));
      }
    }
    return fmt::format("ten copies: all and nothing else in {} of {} scenes", good, scenes);
  }

  std::string speed() {
    Random random(6);
    cv::Mat wall;
    cv::resize(as_mat(photos_[0]), wall, {1920, 1080});
    const Cut cut = random_cut(random, 128, 128, 25);
    paste(cut.pixels, {700, 500}, 33, 1, wall);
    const GrayImage scene = of_mat(wall);
    LocateOptions options;
    options.min_scale = options.max_scale = 1;
    const SearchObject object(cut.pixels.view(), {});
    double ours_s = 1e9;
    std::size_t hits = 0;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      hits = search_.find(object, scene.view(), options).hits.size();
      ours_s = std::min(ours_s, seconds_since(start));
    }
    const std::string ours =
        fmt::format("360 degrees, 128x128 in 1080p: {:.2f} ms, {} hits", ours_s * 1e3, hits);
    if (!session_.is_cpu()) return ours;
    const int angles = static_cast<int>(std::ceil(2 * std::numbers::pi * object.rim_px()));
    constexpr int kTimed = 5;
    const auto start = std::chrono::steady_clock::now();
    cv::Mat correlation;
    for (int i = 0; i < kTimed; ++i) {
      const cv::Mat turn = cv::getRotationMatrix2D({63.5, 63.5}, i * 360.0 / angles, 1);
      cv::Mat turned;
      cv::warpAffine(as_mat(cut.pixels), turned, turn, {128, 128});
      cv::matchTemplate(wall, turned, correlation, cv::TM_CCOEFF_NORMED);
    }
    const double angle_s = seconds_since(start) / kTimed;
    const std::size_t coarse =
        PoseGrid(options, object.rim_px(), object.coarsest(1)).coarsest_poses().size();
    return fmt::format(
        "{}\ncv::matchTemplate: {:.1f} ms per angle; {:.1f} times as long for all {}, {:.1f} times "
        "for the {} of the coarsest level",
        ours, angle_s * 1e3, angle_s * angles / ours_s, angles,
        angle_s * static_cast<double>(coarse) / ours_s, coarse);
  }

  std::string huge() {
    Random random(7);
    const Cut cut = random_cut(random, 128, 128, 25);
    cv::Mat wall;
    cv::resize(as_mat(photos_[0]), wall, {20000, 20000});
    for (const Point& at : {Point{300.3, 411.2}, Point{10007.5, 9996.1}, Point{19870, 19801.7}}) {
      paste(cut.pixels, at, 70, 1.1, wall);
    }
    const GrayImage scene = of_mat(wall);
    wall.release();
    const SearchResult result = find(cut.pixels, scene);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return fmt::format("20,000 x 20,000: {} of 3 found, peak memory {:.2f} GiB", result.hits.size(),
                       static_cast<double>(usage.ru_maxrss) / (1 << 20));
  }

 private:
  std::string crops(bool light) {
    Random random(1);
    int found = 0;
    double lowest = 1;
    for (int i = 0; i < cases_; ++i) {
      const int side = static_cast<int>(std::lround(16 * std::pow(32.0, (i % 20) / 19.0)));
      Cut cut = random_cut(random, side, std::min(side, 480), 1);
      if (light) change_light(cut.pixels, random);
      const SearchResult result = find(cut.pixels, photos_[cut.photo]);
      if (result.hits.empty()) {
        print_failure(i, cut, result.reason);
        continue;
      }
      // Rounding to whole grey levels lowers the correlation by up to this.
      const double rounding = light ? 1 / (12 * std::pow(contrast(cut.pixels), 2)) : 0;
      const FittedPose& fit = result.hits[0].fit;
      lowest = std::min(lowest, fit.correlation);
      if (is_at(result.hits[0], cut.x, cut.y) && fit.correlation >= 0.9999 - rounding) {
        ++found;
        continue;
      }
      print_failure(
          i, cut,
          fmt::format("at ({:.2f}, {:.2f}) turn {:.3f} scale {:.4f} correlation {:.5f}, wanted "
                      "({:.1f}, {:.1f})",
                      fit.pose.centre.x, fit.pose.centre.y, fit.pose.turn_scale.turn,
                      fit.pose.turn_scale.scale, fit.correlation,
                      cut.x + (cut.pixels.width - 1) / 2.0, cut.y + (cut.pixels.height - 1) / 2.0));
    }
    return fmt::format("{} crops: {} of {} at the exact pixel, lowest correlation {:.6f}",
                       light ? "brightened" : "exact", found, cases_, lowest);
  }

  // A part of a photo that is large enough, with at least this contrast.
  Cut random_cut(Random& random, int width, int height, double min_contrast) const {
    for (;;) {
      const auto photo = static_cast<std::size_t>(random.below(static_cast<int>(photos_.size())));
      const GrayImage& from = photos_[photo];
      if (from.width < width || from.height < height) continue;
      const int x = random.below(from.width - width + 1);
      const int y = random.below(from.height - height + 1);
      Cut cut{crop(from.view(), x, y, width, height), photo, x, y};
      if (contrast(cut.pixels) >= min_contrast) return cut;
    }
  }

  // One of the `count` photos after the cut's own.
  const GrayImage& other_photo(const Cut& cut, int count, Random& random) const {
    return photos_[(cut.photo + 1 + static_cast<std::size_t>(random.below(count))) %
                   photos_.size()];
  }

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

  static void print_failure(int number, const Cut& cut, const std::string& what) {
    fmt::print("  {}: {}x{} of {}, contrast {:.1f}: {}\n", number, cut.pixels.width,
               cut.pixels.height, kPhotos[cut.photo], contrast(cut.pixels), what);
  }

  int cases_;
  OpenClSession session_;
  ExhaustiveSearch search_;
  std::vector<GrayImage> photos_;
};

struct Bar {
  const char* name;
  std::string (Bars::*measure)();
};

constexpr std::array<Bar, 7> kBars = {{{"exact", &Bars::exact},
                                       {"light", &Bars::light},
                                       {"turned", &Bars::turned},
                                       {"absent", &Bars::absent},
                                       {"copies", &Bars::copies},
                                       {"speed", &Bars::speed},
                                       {"huge", &Bars::huge}}};

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command) {
    config.add("device.choice");
    command.add_option("BAR", bars, "Bars to measure; by default all but huge")
        ->check(CLI::IsMember({"exact", "light", "turned", "absent", "copies", "speed", "huge"}));
    command.add_option("--cases", cases, "Cases per bar")->check(CLI::PositiveNumber);
  }
  ConfigArguments config;
  std::vector<std::string> bars = {"exact", "light", "turned", "absent", "copies", "speed"};
  int cases = 200;
};

int measure(const Arguments& arguments) {
  Bars bars(arguments.config.load().device, arguments.cases);
  for (const std::string& name : arguments.bars) {
    const auto start = std::chrono::steady_clock::now();
    const std::string result = (bars.*std::ranges::find(kBars, name, &Bar::name)->measure)();
    fmt::print("{}  ({:.0f} s)\n", result, seconds_since(start));
  }
  return kExitDone;
}

}  // namespace

void add_locate_bars(CLI::App& app, Action& action) {
  add_command(app, action, "locate",
              "Accuracy and speed of locate --method correlation, on photos of the package "
              "opencv-doc",
              "Output: one line per bar, and the cases that failed; "
              "docs/measurements/quality.md lists the bars.",
              measure);
}

}  // namespace lookalike
