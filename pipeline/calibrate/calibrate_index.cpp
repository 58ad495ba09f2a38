#include "pipeline/calibrate/calibrate_index.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/parallel.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/calibrate/made_photo.h"
#include "pipeline/searcher.h"
#include "stages/match/match.h"

namespace lookalike {
namespace {

constexpr std::size_t kPhotos = 32;
constexpr std::uint32_t kBackgroundSidePx = 640;
// Few words repeat between photos: with 5,000 photos 256 MiB took 130 MB more and no less time.
constexpr std::uint32_t kCacheMib = 16;
constexpr const char* kCalibratedImages = "calibration.second_look.images";  // how many there were

cv::Mat as_mat(const DecodedImage& image) {
  return cv::Mat(image.pixels.height, image.pixels.width, CV_8U,
                 const_cast<std::uint8_t*>(image.pixels.pixels.data()))  // is only cloned
      .clone();
}

// Whether a match is true by its features alone, by the shipped weights, so that comparing its
// pixels would hardly move the fit.
bool is_certain(const Match& match) {
  constexpr double kCertain = 0.995;
  Evidence evidence = match.evidence;
  evidence.correlation.reset();
  evidence.detail.reset();
  return Calibration{}.probability(evidence) > kCertain;
}

// The images that a photo is made of.
struct Ingredients {
  StoredImage object;
  StoredImage background;
};

// At most kPhotos, chosen by content alone.
std::vector<Ingredients> ingredients_of(const IndexReader& index) {
  const std::vector<ImageId> images = index.images_by_content();
  std::vector<Ingredients> chosen;
  for (std::size_t i = 0; i < std::min(kPhotos, images.size()); ++i) {
    const ImageId background = images[(i + images.size() / 2) % images.size()];
    chosen.push_back({index.image(images[i]).value(), index.image(background).value()});
  }
  return chosen;
}

class Observer {
 public:
  Observer(const IndexReader& index, OpenClSession& session, const RunConfig& config)
      : limits_(config.images),
        seed_(config.match.seed),
        searcher_(index, searching_all(config), &session) {}

  // What is found in a photo made of these images, and in its mirror image.
  Sightings observe(const Ingredients& made_of) {
    Sightings sightings;
    const std::optional<Query> photo = photo_of(made_of);
    if (!photo) return sightings;
    sightings.photos = 1;
    const auto is_shown = [&](const Match& match) {
      return match.image.id == made_of.object.id || match.image.id == made_of.background.id;
    };
    for (const Match& match : uncertain_in(*photo)) {
      (is_shown(match) ? sightings.shown : sightings.others).push_back(match.evidence);
    }
    for (const Match& match : uncertain_in(mirrored(*photo))) {
      // What looks the same in a mirror is in both, and says nothing.
      if (!is_shown(match)) sightings.decoys.push_back(match.evidence);
    }
    return sightings;
  }

 private:
  // Everything with a pose is looked at, as it is found. A mirrored photo has no sure matches to be
  // expanded by, so a photo is not expanded either. Neither is looked at twice, which would move
  // the weights little (DECISIONS.md, 32).
  static RunConfig searching_all(RunConfig config) {
    config.match.min_decision = "all";
    config.match.expansion_hits = 0;
    config.match.second_look = false;
    config.match.resolve_overlaps = false;
    config.match.mirror = false;
    config.match.calibration.clear();
    config.match.cache_mib = std::min(config.match.cache_mib, kCacheMib);
    return config;
  }

  std::optional<Query> photo_of(const Ingredients& made_of) {
    const auto object = read(made_of.object, searcher_.extract_options().longest_side_px);
    const auto background = read(made_of.background, kBackgroundSidePx);
    if (!object || !background) return std::nullopt;
    Random random(sample_rank(made_of.object.content, seed_));
    LoadedFile file;
    file.bytes = compressed(make_photo(*object, *background, random), random);
    auto decoded = decode(file, wanted_size(searcher_.extract_options()), limits_);
    auto* image = std::get_if<DecodedImage>(&decoded);
    return image ? std::optional(searcher_.with_features(std::move(*image))) : std::nullopt;
  }

  std::optional<cv::Mat> read(const StoredImage& image, std::uint32_t longest_side_px) const {
    const auto decoded = read_indexed(image, longest_side_px, limits_);
    return decoded ? std::optional(as_mat(*decoded)) : std::nullopt;
  }

  // The matches with a pose that are not certain; compared by pixels where the indexed file can be
  // read.
  std::vector<Match> uncertain_in(const Query& photo) const {
    std::vector<Match> matches = searcher_.search(photo, std::not_fn(is_certain)).matches;
    std::erase_if(matches,
                  [](const Match& match) { return !match.has_pose() || is_certain(match); });
    return matches;
  }

  const ImagesOptions& limits_;
  const std::uint64_t seed_;
  Searcher searcher_;
};

void append(const std::vector<Evidence>& from, std::vector<Evidence>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

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

Calibration calibration_for(const IndexReader& index, const MatchOptions& match) {
  if (match.calibration.empty()) return stored_calibration(index);
  const IndexReader named{std::filesystem::path(match.calibration)};
  if (!named.derived(std::string(kCalibrationName))) {
    throw Error(ErrorKind::kInput,
                fmt::format("match.calibration: {} has no calibration: run lookalike calibrate",
                            printable(match.calibration)));
  }
  return stored_calibration(named);
}

Sightings sightings_of(const IndexReader& index, OpenClSession& session, const RunConfig& config,
                       Progress& progress, const std::function<void()>& before_each) {
  const std::vector<Ingredients> photos = ingredients_of(index);
  Observer observer(index, session, config);
  Sightings sightings;
  OrderedParallel<Sightings> observed(photos.size(), core_count(), 2 * core_count(),
                                      [&](std::size_t i) { return observer.observe(photos[i]); });
  for (std::size_t i = 0; i < photos.size(); ++i) {
    before_each();
    const Sightings seen = *observed.next();
    sightings.photos += seen.photos;
    append(seen.shown, sightings.shown);
    append(seen.others, sightings.others);
    append(seen.decoys, sightings.decoys);
    progress.update(i + 1);
  }
  return sightings;
}

bool is_calibration_due(const IndexReader& index) {
  const IndexCounts counts = index.counts();
  const std::uint64_t images = counts.images - counts.blank;
  if (images < kFewestForCalibration) return false;
  const std::uint64_t calibrated =
      parse_number<std::uint64_t>(index.derived(kCalibratedImages).value_or("")).value_or(0);
  return 2 * images >= 3 * calibrated || 2 * images <= calibrated;
}

std::optional<std::string> problem_of_calibration(const IndexReader& index) {
  const auto problem = [](std::string_view name, const std::string& text) {
    return fmt::format("derived: {} is damaged, was '{}'", name, printable(text));
  };
  const auto weights = index.derived(std::string(kCalibrationName));
  if (weights && !calibration_from(*weights)) return problem(kCalibrationName, *weights);
  const auto images = index.derived(kCalibratedImages);
  if (images && !parse_number<std::uint64_t>(*images)) return problem(kCalibratedImages, *images);
  return std::nullopt;
}

std::optional<Calibration> calibration_of(const Sightings& seen, std::size_t wanted_photos) {
  if (2 * seen.photos < wanted_photos) return std::nullopt;
  return calibrate(seen);
}

CalibrationRun calibrate_index(IndexWriter& writer, const IndexReader& index,
                               const RunConfig& config, OpenClSession& session,
                               Progress::Style style, const std::function<void()>& before_each) {
  const IndexCounts counts = index.counts();
  const std::size_t wanted = std::min<std::size_t>(kPhotos, counts.images - counts.blank);
  Progress progress("calibrate", "photos", wanted, style);
  CalibrationRun run{sightings_of(index, session, config, progress, before_each), std::nullopt};
  run.calibration = calibration_of(run.sightings, wanted);
  if (!run.calibration) {
    logger()->warn(
        "calibrate: only {} of {} photos could be made, since images of the index cannot "
        "be read; nothing is changed",
        run.sightings.photos, wanted);
    return run;
  }
  writer.set_derived(kCalibrationName, to_text(*run.calibration));
  const IndexCounts own = writer.counts();  // by which is_calibration_due() goes
  writer.set_derived(kCalibratedImages, std::to_string(own.images - own.blank));
  return run;
}

}  // namespace lookalike
