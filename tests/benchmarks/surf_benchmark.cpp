// SURF on one device, with nothing but OpenCL: the time of the kernels, from profiling, and the
// time on the wall, transfers included.
//   surf_benchmark [--device D] [--kernel K] [--runs N] [--batch N] PHOTO.pgm...
// Pictures are cut from the photos, which are mirrored where they are too small: one of 1920 x 1080
// with the threshold that leaves 5000 keypoints, one of 640 x 480, and batches of small ones.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "kernels/surf/surf.h"
#include "tests/kernels/surf/pgm.h"

namespace lookalike {
namespace {

constexpr int kTileWidth = 640;
constexpr int kTileHeight = 540;
constexpr std::size_t kManyKeypoints = 5000;

struct Options {
  std::string device;
  SurfKernel kernel = SurfKernel::kAuto;
  int runs = 9;
  int batch = 256;
  std::vector<GrayImage> photos;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--device") {
      options.device = value;
    } else if (argument == "--kernel") {
      options.kernel = parse_surf_kernel(value);
    } else if (argument == "--runs") {
      options.runs = std::max(1, std::atoi(value));
    } else if (argument == "--batch") {
      options.batch = std::max(1, std::atoi(value));
    } else {
      options.photos.push_back(read_pgm(argument));
      continue;
    }
    ++i;
  }
  if (options.photos.empty()) throw Error(ErrorKind::kUsage, "surf_benchmark: no photos given");
  return options;
}

// Position i of an endless row of `size` pixels that is mirrored again and again.
int mirrored(int i, int size) {
  const int place = i % (2 * size);
  return place < size ? place : 2 * size - 1 - place;
}

// Copies the part of a photo that begins at (left, top) to that tile of the picture.
void paste(const GrayImage& photo, int left, int top, GrayImage& picture, int tile_left,
           int tile_top, int width, int height) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.at(tile_left + x, tile_top + y) =
          photo.view().at(mirrored(left + x, photo.width), mirrored(top + y, photo.height));
    }
  }
}

GrayImage mosaic(const std::vector<GrayImage>& photos) {
  GrayImage picture(3 * kTileWidth, 2 * kTileHeight);
  for (int tile = 0; tile < 6; ++tile) {
    paste(photos[static_cast<std::size_t>(tile) % photos.size()], 0, 0, picture,
          tile % 3 * kTileWidth, tile / 3 * kTileHeight, kTileWidth, kTileHeight);
  }
  return picture;
}

std::vector<GrayImage> small_pictures(const std::vector<GrayImage>& photos, int count, int width,
                                      int height) {
  std::vector<GrayImage> pictures;
  const int photo_count = static_cast<int>(photos.size());
  for (int i = 0; i < count; ++i) {
    const int shift = i / photo_count * 37;
    GrayImage picture(width, height);
    paste(photos[static_cast<std::size_t>(i % photo_count)], shift, shift, picture, 0, 0, width,
          height);
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

struct Workload {
  std::string name;
  std::vector<GrayImage> pictures;
  SurfParameters parameters;
};

std::vector<FeatureSet> extract(Surf& surf, const Workload& load) {
  std::vector<ImageView> views;
  for (const GrayImage& picture : load.pictures) views.push_back(picture.view());
  return surf.extract(views);
}

// The threshold that leaves that many keypoints.
float threshold_for(const Options& options, const GrayImage& picture, std::size_t keypoints) {
  OpenClSession session({.device = options.device});
  Surf surf(session, {.hessian_threshold = 1, .upright = true}, options.kernel);
  const FeatureSet found = extract(surf, {"", {picture}, {}}).front();
  return found.keypoints.at(std::min(keypoints, found.size() - 1)).response;
}

double median_wall_ms(const Options& options, const Workload& load, std::size_t& keypoints) {
  OpenClSession session({.device = options.device});
  Surf surf(session, load.parameters, options.kernel);
  std::vector<double> walls;
  for (int run = 0; run <= options.runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<FeatureSet> features = extract(surf, load);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    keypoints = 0;
    for (const FeatureSet& one : features) keypoints += one.size();
    if (run > 0) walls.push_back(wall.count());  // the first compiles and warms up
  }
  std::sort(walls.begin(), walls.end());
  return walls[walls.size() / 2];
}

std::map<std::string, LaunchTime> kernel_times(const Options& options, const Workload& load) {
  OpenClSession session({.device = options.device, .profile = true});
  Surf surf(session, load.parameters, options.kernel);
  extract(surf, load);
  session.drain_profile();
  for (int run = 0; run < options.runs; ++run) extract(surf, load);
  return session.drain_profile();
}

void time_workload(const Options& options, const Workload& load) {
  std::size_t keypoints = 0;
  const double wall_ms = median_wall_ms(options, load, keypoints);
  const std::map<std::string, LaunchTime> times = kernel_times(options, load);
  double kernel_ms = 0;
  for (const auto& [label, time] : times) kernel_ms += time.total_ms / options.runs;
  const double pictures = static_cast<double>(load.pictures.size());
  std::printf("%-28s %6zu %9zu %10.3f %10.0f %10.3f %10.0f\n", load.name.c_str(),
              load.pictures.size(), keypoints, kernel_ms, pictures / kernel_ms * 1e3, wall_ms,
              pictures / wall_ms * 1e3);
  for (const auto& [label, time] : times) {
    std::printf("  %-26s %6.1f %31.3f\n", label.c_str(),
                static_cast<double>(time.launches) / options.runs, time.total_ms / options.runs);
  }
}

int run(const Options& options) {
  const OpenClSession session({.device = options.device});
  std::printf("%s, %s\n", session.device().name.c_str(), session.device().driver.c_str());
  std::printf("%-28s %6s %9s %10s %10s %10s %10s\n", "", "images", "keypoints", "kernels ms",
              "images/s", "wall ms", "images/s");
  const GrayImage large = mosaic(options.photos);
  const float threshold = threshold_for(options, large, kManyKeypoints);
  time_workload(options, {"1920 x 1080", {large}, {.hessian_threshold = threshold}});
  const SurfParameters indexed = {.max_features = 1000};
  for (const int count : {1, options.batch}) {
    const std::vector<GrayImage> photos = small_pictures(options.photos, count, 640, 480);
    time_workload(options, {"640 x 480, threshold 400", photos, {.hessian_threshold = 400}});
    time_workload(options, {"640 x 480, 1000 strongest", photos, indexed});
    time_workload(options, {"320 x 240, 1000 strongest",
                            small_pictures(options.photos, count, 320, 240), indexed});
  }
  return 0;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run(lookalike::parse(argc, argv));
}
