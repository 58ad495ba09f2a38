#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "kernels/session/session.h"
#include "pipeline/device/open_session.h"
#include "pipeline/searcher.h"
#include "stages/decode/colours.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/locate/locate.h"
#include "stages/match/verify/pose.h"
#include "stages/match/verify/verification.h"
#include "tools/library/entry.h"

// Features and places without an index.
namespace lookalike {
namespace {

constexpr std::size_t kKeypointValues = 7;
constexpr std::uint32_t kNoReductionPx = 1U << 20;  // above the longest side of any picture
constexpr float kMostValue = 1e15F;  // below it, squared distances of descriptors are finite

// Returns what holds for a pair of pictures where no setting says otherwise.
RunConfig for_pictures(std::uint32_t longest_side_px, std::uint32_t max_features) {
  RunConfig config;
  config.extract.longest_side_px = longest_side_px;
  config.extract.max_features = max_features;
  config.extract.enlarge_to_px = 0;
  config.extract.descriptor_form = "plain";
  return config;
}

// Returns features of a caller. Throws Error(kUsage) for shapes and values that match() refuses.
FeatureSet feature_set(const Features& features) {
  const std::size_t count = features.size();
  if (features.width < 1 || features.height < 1 ||
      features.keypoints.size() != count * kKeypointValues || features.descriptor_size == 0 ||
      features.descriptor_size % 8 != 0 ||
      features.descriptors.size() != count * features.descriptor_size) {
    throw Error(ErrorKind::kUsage,
                fmt::format("features: must be n x 7 keypoints and n x {} descriptors, a multiple "
                            "of 8, of a photo of at least 1 x 1 px, were {} and {} values and "
                            "{} x {} px",
                            features.descriptor_size, features.keypoints.size(),
                            features.descriptors.size(), features.width, features.height));
  }
  const auto is_usable = [](float value) { return std::abs(value) < kMostValue; };  // no NaN
  if (!std::ranges::all_of(features.keypoints, is_usable) ||
      !std::ranges::all_of(features.descriptors, is_usable)) {
    throw Error(ErrorKind::kUsage, "features: values must be finite, of a magnitude below 1e15");
  }
  FeatureSet set{.descriptor_size = features.descriptor_size,
                 .keypoints = {},
                 .descriptors = features.descriptors};
  for (std::size_t i = 0; i < count; ++i) {
    const float* const values = features.keypoints.data() + i * kKeypointValues;
    if (values[2] <= 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("features: diameters must be above 0, was {}", values[2]));
    }
    set.keypoints.push_back({.x = values[0],
                             .y = values[1],
                             .size = values[2],
                             .angle_degrees = values[3],
                             .response = values[4],
                             .octave = 0,  // matching does not read it
                             .laplacian_sign = (values[6] > 0) - (values[6] < 0)});
  }
  return set;
}

// Returns a picture with its features, if there is a stage to extract them, and its colours.
Query picture(const Photo& photo, const RunConfig& config, std::optional<ExtractStage>& stage) {
  const auto loaded =
      std::make_shared<const LoadedFile>(must_use(load_photo(photo, config.images)));
  DecodedImage image = must_use(decode(*loaded, wanted_size(config.extract), config.images));
  Query query = stage ? query_of(*stage, std::move(image)) : Query{std::move(image), {}};
  query.colours = [loaded, limits = config.images](double most_pixels) {
    auto decoded = decode_in_colour(*loaded, most_pixels, limits);
    auto* colours = std::get_if<ColourImage>(&decoded);
    return colours != nullptr ? std::move(*colours) : ColourImage{};
  };
  return query;
}

PlaceOfObject place_of_object(const Hit& hit) {
  return {.centre = {hit.centre.x, hit.centre.y},
          .angle_degrees = hit.angle_degrees,
          .scale = hit.scale,
          .correlation = hit.correlation,
          .inliers = hit.inliers,
          .colour = hit.colour,
          .position_error_px = hit.position_error_px,
          .outline = corners_of(hit.quad),
          .object_to_scene = hit.object_to_scene.h};
}

}  // namespace

Features extract(const Photo& photo, const std::vector<std::string>& settings) {
  return with_failures([&] {
    const RunConfig config =
        configured(for_pictures(std::numeric_limits<std::uint32_t>::max(), 0), settings);
    OpenClSession session(session_options(config.device));
    std::optional<ExtractStage> stage(std::in_place, session, config.extract);
    const Query query = picture(photo, config, stage);
    Features features{.width = query.image.record.width,
                      .height = query.image.record.height,
                      .descriptor_size = query.features.descriptor_size,
                      .keypoints = {},
                      .descriptors = query.features.descriptors};
    features.keypoints.reserve(query.features.size() * kKeypointValues);
    for (const Keypoint& point : query.features.keypoints) {
      features.keypoints.insert(
          features.keypoints.end(),
          {point.x, point.y, point.size, point.angle_degrees, point.response,
           static_cast<float>(point.octave), static_cast<float>(point.laplacian_sign)});
    }
    return features;
  });
}

Matched match(const Features& one, const Features& other,
              const std::vector<std::string>& settings) {
  return with_failures([&] {
    const RunConfig config = configured(RunConfig(), settings);
    const FeatureSet first = feature_set(one);
    const FeatureSet second = feature_set(other);
    if (first.descriptor_size != second.descriptor_size) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("features: the descriptors must be of one size, were {} and {}",
                              first.descriptor_size, second.descriptor_size));
    }
    Matched matched;
    if (first.size() == 0 || second.size() == 0) return matched;
    OpenClSession session(session_options(config.device));
    std::vector<PlacePair> places;
    for (const FeaturePair& pair : one_to_one(pair_descriptors(session, first, second))) {
      matched.pairs.push_back({pair.object, pair.scene});
      places.push_back(
          {place_of(first.keypoints[pair.object]), place_of(second.keypoints[pair.scene])});
    }
    const std::optional<Pose> pose =
        find_pose(places, {one.width, one.height}, {other.width, other.height}, config.match);
    if (pose) {
      matched.homography = pose->object_to_scene.h;
      matched.inliers = pose->inliers;
    }
    return matched;
  });
}

std::vector<PlaceOfObject> locate(const Photo& object, const Photo& scene,
                                  const std::vector<std::string>& settings) {
  return with_failures([&] {
    constexpr std::uint32_t kLongestSidePx = 4096;
    constexpr std::uint32_t kFeatures = 5000;
    const bool pixels_alone = configured(RunConfig(), settings).locate.method == "correlation";
    const RunConfig config = configured(
        for_pictures(pixels_alone ? kNoReductionPx : kLongestSidePx, kFeatures), settings);
    OpenClSession session(session_options(config.device));
    std::optional<ExtractStage> stage;
    if (!pixels_alone) stage.emplace(session, config.extract);
    const Query shown = picture(object, config, stage);
    const Query searched = picture(scene, config, stage);
    std::vector<PlaceOfObject> places;
    std::ranges::transform(locate(session, shown, searched, config.match, config.locate).hits,
                           std::back_inserter(places), place_of_object);
    return places;
  });
}

}  // namespace lookalike
