// Makes a collection with known duplicates, to measure `lookalike duplicates` on.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/program.h"
#include "base/random.h"
#include "base/scan.h"
#include "base/text.h"
#include "config/options.h"
#include "pipeline/calibrate/made_photo.h"
#include "stages/decode/encode.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualQuality = 80;
constexpr int kLowQuality = 30;
constexpr int kLeastSidePx = 300;  // of a photo that is planted: a quarter of it still has features

struct Arguments {
  std::vector<std::string> sources;
  std::string output;
  std::size_t photos = 2000;
  std::size_t groups = 300;
  std::uint64_t seed = 1;
};

// What is made of an original, as JPEG files of a usual quality but for the first two.
struct Planted {
  std::string_view kind;
  std::string_view variant;  // of variant_kinds(); empty: the bytes of the original
  double strength;
  int quality = kUsualQuality;
};
constexpr std::array<Planted, 12> kPlanted = {{{"exact", "", 0},
                                               {"quality-30", "scale", 1, kLowQuality},
                                               {"half-size", "scale", 0.5},
                                               {"crop-75", "crop", 75},
                                               {"crop-50", "crop", 50},
                                               {"crop-35", "crop", 35},
                                               {"crop-25", "crop", 25},
                                               {"turn-90", "turn", 90},
                                               {"turn-180", "turn", 180},
                                               {"turn-30", "turn", 30},
                                               {"mirror", "mirror", 1},
                                               {"crop-25-quality-30", "crop", 25, kLowQuality}}};
constexpr std::size_t kPerGroup = 3;

class Planter {
 public:
  explicit Planter(const Arguments& arguments) : arguments_(arguments), random_(arguments.seed) {
    fs::create_directories(fs::path(arguments.output) / "photos");
    table_ = "file,source,group,kind\n";
  }

  void run() {
    std::vector<SourceFile> files = photos();
    std::size_t made = 0;
    for (std::size_t i = 0; i < files.size() && made < arguments_.photos; ++i) {
      const std::string name =
          fmt::format("{:05}{}", i, fs::path(files[i].path).extension().string());
      fs::copy_file(files[i].path, at(name));
      ++made;
      const cv::Mat photo = groups_ < arguments_.groups ? readable(files[i].path) : cv::Mat();
      if (std::min(photo.cols, photo.rows) < kLeastSidePx) {
        add_row(name, files[i].path, "", "");
        continue;
      }
      const std::string group = fmt::format("{}", ++groups_);
      add_row(name, files[i].path, group, "original");
      for (std::size_t k = 0; k < kPerGroup; ++k, ++made) {
        plant(kPlanted[next_kind_++ % kPlanted.size()], files[i].path, photo, i, group);
      }
    }
    OutputGuard guard;
    OutputFile table = guard.open("--output", fs::path(arguments_.output) / "planted.csv",
                                  kind_that_begins("a table of planted files", "file,source,"));
    write_whole(table, table_);
  }

 private:
  // In an order that the seed draws.
  std::vector<SourceFile> photos() const {
    const ImagesOptions images;
    Omissions left_out;
    auto files = scan_folders(arguments_.sources, {images.extensions, {}, false}, left_out).files;
    std::ranges::sort(files, {}, [&](const SourceFile& file) {
      return checksum({reinterpret_cast<const std::uint8_t*>(file.path.data()), file.path.size()},
                      arguments_.seed);
    });
    return files;
  }

  static cv::Mat readable(const std::string& path) {
    const auto loaded = load_pixels(path, PixelMode::kColour, ImagesOptions{});
    const auto* shown = std::get_if<ShownPixels>(&loaded);
    return shown ? shown->pixels : cv::Mat();
  }

  void plant(const Planted& planted, const std::string& source, const cv::Mat& photo,
             std::size_t number, const std::string& group) {
    const bool is_copy = planted.variant.empty();
    const std::string name = fmt::format("{:05}-{}{}", number, planted.kind,
                                         is_copy ? fs::path(source).extension().string() : ".jpg");
    if (is_copy) {
      fs::copy_file(source, at(name));
    } else {
      const std::vector<VariantKind> kinds = variant_kinds();
      const auto kind = std::ranges::find(kinds, planted.variant, &VariantKind::name);
      const Variant variant = kind->make(photo, planted.strength, random_);
      const std::string scratch = at(name) + ".png";
      write(scratch, variant.file);
      const cv::Mat picture = readable(scratch);
      fs::remove(scratch);
      write(at(name), encode_image(".jpg", picture, planted.quality));
    }
    add_row(name, source, group, std::string(planted.kind));
  }

  void write(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    OutputGuard guard;
    OutputFile file = guard.open("--output", path, kind_that_begins("a planted photo", "\xFF\xD8"));
    file.write(bytes);
    file.commit();
  }

  std::string at(const std::string& name) const {
    return fs::path(arguments_.output) / "photos" / name;
  }
  void add_row(const std::string& name, const std::string& source, const std::string& group,
               const std::string& kind) {
    table_ += fmt::format("{},{},{},{}\n", name, csv_field(source), group, kind);
  }

  const Arguments& arguments_;
  Random random_;
  std::size_t groups_ = 0;
  std::size_t next_kind_ = 0;
  std::string table_;
};

int plant(int argc, const char* const* argv) {
  CLI::App app(
      "Makes a collection with known duplicates: copies photos, and plants crops, copies and "
      "turned and mirrored versions of some. Output: OUTPUT/photos, and OUTPUT/planted.csv with "
      "file, source, group, kind.\n"
      "Example: lookalike-plant --output planted ~/photos",
      "lookalike-plant");
  Arguments arguments;
  app.add_option("FOLDER", arguments.sources, "Photos, searched recursively")->required();
  app.add_option("--output", arguments.output, "New folder")->required();
  app.add_option("--photos", arguments.photos, "Files to make in all")->capture_default_str();
  app.add_option("--groups", arguments.groups, "Groups to plant")->capture_default_str();
  app.add_option("--seed", arguments.seed, "Seed")->capture_default_str();
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  if (fs::exists(arguments.output)) {
    throw Error(ErrorKind::kUsage, "--output: " + arguments.output + ": exists already");
  }
  Planter(arguments).run();
  return kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-plant", [&] { return lookalike::plant(argc, argv); });
}
