#include "pipeline/calibrate/calibrate_index.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <spdlog/spdlog.h>

#include "base/text.h"
#include "pipeline/calibrate/made_photo.h"
#include "pipeline/searcher.h"

namespace lookalike {
namespace {

constexpr std::size_t kPhotos = 48;
constexpr std::uint32_t kBackgroundSidePx = 640;
// Few words repeat between photos: with 5,000 photos 256 MiB took 130 MB more and no less time.
constexpr std::uint32_t kCacheMib = 16;
constexpr const char* kCalibratedImages = "calibration.detail.images";  // how many there were

cv::Mat as_mat(const DecodedImage& image) {
  return cv::Mat(image.pixels.height, image.pixels.width, CV_8U,
                 const_cast<std::uint8_t*>(image.pixels.pixels.data()))  // is only cloned
      .clone();
}

// Images that are not blank, in an order that content alone decides.
std::vector<StoredImage> shuffled_images(const IndexReader& index) {
  std::vector<StoredImage> images;
  index.for_each_image([&](const StoredImage& image) {
    if (!image.blank) images.push_back(image);
  });
  std::ranges::sort(images, {}, &StoredImage::content);
  return images;
}

std::optional<std::uint64_t> count_in(const std::string& text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  return read.ec == std::errc() && read.ptr == end ? std::optional(count) : std::nullopt;
}

class Observer {
 public:
  Observer(const IndexReader& index, OpenClSession& session, const RunConfig& config)
      : limits_(config.images),
        searcher_(index, searching_all(config), &session),
        random_(config.match.seed) {}

  void observe(const StoredImage& object, const StoredImage& background, Sightings& sightings) {
    const auto front = read(object, searcher_.extract_options().longest_side_px);
    const auto back = read(background, kBackgroundSidePx);
    if (!front || !back) return;
    const cv::Mat photo = make_photo(*front, *back, random_);
    for (const Match& match : found_in(photo)) {
      const bool is_shown = match.image.id == object.id || match.image.id == background.id;
      (is_shown ? sightings.shown : sightings.others).push_back(match.evidence);
    }
    cv::Mat mirrored;
    cv::flip(photo, mirrored, 1);
    for (const Match& match : found_in(mirrored)) {
      // What looks the same in a mirror is in both, and says nothing.
      if (match.image.id == object.id || match.image.id == background.id) continue;
      sightings.decoys.push_back(match.evidence);
    }
  }

 private:
  // Everything with a pose is looked at, as it is found.
  static RunConfig searching_all(RunConfig config) {
    config.match.report = "all";
    config.match.explain_once = false;
    config.match.mirror = false;
    config.match.cache_mib = std::min(config.match.cache_mib, kCacheMib);
    return config;
  }

  std::optional<cv::Mat> read(const StoredImage& image, std::uint32_t longest_side_px) const {
    const auto decoded = read_indexed(image, longest_side_px, limits_);
    return decoded ? std::optional(as_mat(*decoded)) : std::nullopt;
  }

  std::vector<Match> found_in(const cv::Mat& photo) {
    LoadedFile file;
    file.bytes = compressed(photo, random_);
    auto decoded = decode(file, wanted_size(searcher_.extract_options()), limits_);
    auto* image = std::get_if<DecodedImage>(&decoded);
    if (image == nullptr) return {};
    std::vector<Match> matches = searcher_.search(std::move(*image)).matches;
    std::erase_if(matches, [](const Match& match) { return !match.is_located(); });
    return matches;
  }

  const ImagesOptions& limits_;
  Searcher searcher_;
  Random random_;
};

}  // namespace

std::string to_text(const Calibration& calibration) {
  return nlohmann::json(calibration.weights).dump();
}

std::optional<Calibration> calibration_from(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array() || json.size() != Calibration::kWeights) return std::nullopt;
  Calibration calibration;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_number()) return std::nullopt;
    calibration.weights[i] = json[i].get<double>();
  }
  return calibration;
}

Calibration stored_calibration(const IndexReader& index) {
  const std::optional<std::string> text = index.derived(std::string(kCalibrationName));
  return text ? calibration_from(*text).value_or(Calibration{}) : Calibration{};
}

Sightings sightings_of(const IndexReader& index, OpenClSession& session, const RunConfig& config,
                       Progress& progress, const std::function<void()>& before_each) {
  const std::vector<StoredImage> images = shuffled_images(index);
  Observer observer(index, session, config);
  Sightings sightings;
  const std::size_t photos = std::min(kPhotos, images.size());
  for (std::size_t i = 0; i < photos; ++i) {
    before_each();
    observer.observe(images[i], images[(i + images.size() / 2) % images.size()], sightings);
    progress.update(i + 1);
  }
  return sightings;
}

bool is_calibration_due(const IndexReader& index) {
  const IndexCounts counts = index.counts();
  const std::uint64_t images = counts.images - counts.blank;
  if (images < kFewestForCalibration) return false;
  const std::uint64_t calibrated =
      count_in(index.derived(kCalibratedImages).value_or("")).value_or(0);
  return 2 * images >= 3 * calibrated || 2 * images <= calibrated;
}

std::optional<std::string> problem_of_calibration(const IndexReader& index) {
  const auto problem = [](std::string_view name, const std::string& text) {
    return fmt::format("derived: {} is damaged, was '{}'", name, printable(text));
  };
  const auto weights = index.derived(std::string(kCalibrationName));
  if (weights && !calibration_from(*weights)) return problem(kCalibrationName, *weights);
  const auto images = index.derived(kCalibratedImages);
  if (images && !count_in(*images)) return problem(kCalibratedImages, *images);
  return std::nullopt;
}

CalibrationRun calibrate_index(IndexWriter& writer, const RunConfig& config, OpenClSession& session,
                               Progress::Style style, const std::function<void()>& before_each) {
  const IndexReader index{std::filesystem::path(config.store.database)};
  const IndexCounts counts = index.counts();
  Progress progress("calibrate", "photos",
                    std::min<std::size_t>(kPhotos, counts.images - counts.blank), style);
  CalibrationRun run{sightings_of(index, session, config, progress, before_each), std::nullopt};
  if (run.sightings.shown.empty()) {
    spdlog::warn("calibrate: no photo of the index could be read and found; nothing is changed");
    return run;
  }
  run.calibration = calibrate(run.sightings);
  writer.set_derived(kCalibrationName, to_text(*run.calibration));
  writer.set_derived(kCalibratedImages, std::to_string(counts.images - counts.blank));
  return run;
}

}  // namespace lookalike
