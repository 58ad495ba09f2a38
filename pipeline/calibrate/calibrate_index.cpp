#include "pipeline/calibrate/calibrate_index.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/parallel.h"
#include "base/path_set.h"
#include "base/program.h"
#include "pipeline/calibrate/made_photo.h"
#include "pipeline/searcher.h"
#include "pipeline/stored_calibration.h"
#include "stages/match/match.h"

namespace lookalike {
namespace {

constexpr std::size_t kPhotos = 32;  // maximum
constexpr std::uint32_t kBackgroundSidePx = 640;
// Few words repeat between photos: with 5,000 photos, 256 MiB took 130 MB more and saved no time.
constexpr std::uint32_t kCacheMib = 16;

cv::Mat as_mat(const DecodedImage& image) {
  return cv::Mat(image.pixels.height, image.pixels.width, CV_8U,
                 const_cast<std::uint8_t*>(image.pixels.pixels.data()))  // is only cloned
      .clone();
}

// True if the features alone prove a match, by the shipped weights: comparing its pixels would
// hardly move the fit.
bool is_certain(const Match& match) {
  constexpr double kCertain = 0.995;
  Evidence evidence = match.evidence;
  evidence.correlation.reset();
  evidence.detail.reset();
  return Calibration{}.probability(evidence) > kCertain;
}

// The images of one photo.
struct Ingredients {
  StoredImage object;
  StoredImage background;
};

bool are_equal(const StoredImage& one, const StoredImage& other) {
  const auto key = [](const StoredImage& image) {
    return picture_key(image.width, image.height, image.sums);
  };
  return key(one) == key(other);
}

bool has_path(const StoredImage& image) {
  return std::ranges::any_of(image.paths, is_path);
}

// Returns the first of the images with a file, from `start` on and around; there must be one.
StoredImage first_with_path(const IndexReader& index, const std::vector<ImageId>& images,
                            std::size_t start) {
  for (std::size_t i = start;; ++i) {
    StoredImage image = index.existing_image(images[i % images.size()]);
    if (has_path(image)) return image;
  }
}

// Chooses the images of at most kPhotos photos, by content alone; each picture once.
std::vector<Ingredients> ingredients_of(const IndexReader& index) {
  const std::vector<ImageId> images = index.images_by_content();
  std::vector<Ingredients> chosen;
  for (std::size_t i = 0; i < images.size() && chosen.size() < kPhotos; ++i) {
    StoredImage object = index.existing_image(images[i]);
    const auto is_known = [&](const Ingredients& known) { return are_equal(known.object, object); };
    if (!has_path(object) || std::ranges::any_of(chosen, is_known)) continue;
    chosen.push_back({std::move(object), first_with_path(index, images, i + images.size() / 2)});
  }
  return chosen;
}

// Makes photos and looks them up.
class Observer {
 public:
  Observer(const IndexReader& index, OpenClSession& session, const RunConfig& config)
      : limits_(config.images),
        seed_(config.match.seed),
        searcher_(index, searching_all(config), &session) {}

  // Returns the matches of a photo made of these images, and of its mirror image.
  Sightings observe(const Ingredients& made_of) {
    Sightings sightings;
    const std::optional<Query> photo = photo_of(made_of);
    if (!photo) return sightings;
    sightings.photos = 1;
    const auto is_shown = [&](const Match& match) {
      return are_equal(match.image, made_of.object) || are_equal(match.image, made_of.background);
    };
    for (const Match& match : uncertain_in(*photo)) {
      (is_shown(match) ? sightings.shown : sightings.others).push_back(match.evidence);
    }
    for (const Match& match : uncertain_in(mirrored(*photo))) {
      // Symmetric objects match in both and prove nothing.
      if (!is_shown(match)) sightings.decoys.push_back(match.evidence);
    }
    return sightings;
  }

 private:
  // Lists every match with a pose. The neighbour graph adds none, so it is off. So is the second
  // look, to save time: nearly every mirrored photo would take one, for lack of a sure match.
  static RunConfig searching_all(RunConfig config) {
    config.match.min_decision = "all";
    config.match.related = false;
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

  // Returns the matches with a pose that are not certain, with pixels compared if the indexed file
  // can be read.
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

Sightings sightings_of(const std::vector<Ingredients>& photos, const IndexReader& index,
                       OpenClSession& session, const RunConfig& config, Progress& progress,
                       const std::function<void()>& before_each) {
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

}  // namespace

std::optional<Calibration> calibration_of(const Sightings& seen, std::size_t wanted_photos) {
  if (2 * seen.photos < wanted_photos) return std::nullopt;
  return calibrate(seen);
}

CalibrationRun calibrate_index(IndexWriter& writer, const IndexReader& index,
                               const RunConfig& config, OpenClSession& session,
                               Progress::Style style, const std::function<void()>& before_each,
                               const std::string& label) {
  const std::vector<Ingredients> photos = ingredients_of(index);
  Progress progress(label, "photos", photos.size(), style);
  CalibrationRun run{sightings_of(photos, index, session, config, progress, before_each),
                     std::nullopt};
  run.calibration = calibration_of(run.sightings, photos.size());
  if (!run.calibration) {
    logger()->warn(
        "calibrate: only {} of {} photos could be made, because images of the index cannot be "
        "read; nothing is changed",
        run.sightings.photos, photos.size());
    return run;
  }
  store_calibration(writer, *run.calibration);
  return run;
}

}  // namespace lookalike
