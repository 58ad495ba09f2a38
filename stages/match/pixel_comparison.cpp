#include "stages/match/pixel_comparison.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "stages/match/decide/decision.h"
#include "stages/match/refine/prints.h"

namespace lookalike {
namespace {

// Gives the match the pose that the pixels gave.
void set_pose(const RefinedPose& pose, Match& match) {
  match.evidence.correlation = pose.correlation;
  match.evidence.detail = pose.detail;
  match.evidence.exact = pose.exact;
  match.evidence.identical = pose.identical;
  match.pose.object_to_query = pose.object_to_scene;
  match.pose.quad = outline(match.pose.object_to_query, match.image.width, match.image.height);
  if (pose.part) match.pose.part = pose.part;
}

}  // namespace

bool PixelComparison::is_possible() {
  return shared_.options.refine_candidates > 0 && input_.picture() &&
         !input_.picture()->pixels.empty();
}

void PixelComparison::add_identical(const IndexQuery& query, std::vector<Match>& matches) {
  const std::optional<ImageId> id = shared_.reader.find(input_.picture()->record.content);
  if (!id || *id == query.excluded_image) return;
  const auto known = find_match(matches, *id);
  if (known != matches.end() && known->has_pose()) return;
  std::optional<Match> copy = identical_match(shared_.reader.existing_image(*id), nullptr);
  if (!copy) return;
  copy->evidence.difference = PictureDifference{};
  if (known != matches.end()) matches.erase(known);
  matches.push_back(*std::move(copy));
  compared_.insert(*id);
}

std::optional<Match> PixelComparison::equal_match(ImageId other) {
  if (!is_possible()) return std::nullopt;
  const StoredImage image = shared_.cache.record(other)->image;
  const auto object = shared_.cache.picture(image);
  if (!*object) return std::nullopt;
  std::optional<Match> match = identical_match(image, &**object);
  if (!match) return std::nullopt;
  colours_.find_difference(*match);
  match->probability = shared_.calibration.probability(match->evidence);
  match->score = ranking_score(match->evidence);
  match->decision = decide(*match, image.width, image.height, shared_.options);
  return match;
}

// Returns the match of an indexed image if it has the photo's size and, reduced alike, the photo's
// pixels; otherwise nothing. Compares no features. `known` as in compare_whole().
std::optional<Match> PixelComparison::identical_match(StoredImage image,
                                                      const DecodedImage* known) {
  const ImageRecord& photo = input_.picture()->record;
  if (image.width != photo.width || image.height != photo.height) return std::nullopt;
  Match match;
  match.image = std::move(image);
  compare_whole(Pool<Queued<PoseRefiner>>::Lease(shared_.refiners)->object, match, known);
  if (!match.evidence.identical) return std::nullopt;
  match.evidence.inliers = match.evidence.effective_inliers = match.evidence.pairs =
      static_cast<std::uint32_t>(match.image.feature_count);
  return match;
}

std::size_t PixelComparison::refine(std::vector<Match>& matches, const IsCompared& is_chosen) {
  std::vector<Match*> chosen;
  for (Match& match : matches) {
    if (!match.has_pose() || !is_chosen(match) || !input_.is_compared(match)) continue;
    if (compared_.insert(match.image.id).second) chosen.push_back(&match);
  }
  if (chosen.empty()) return 0;
  const Pyramid& scene = input_.pyramid();
  parallel_for(chosen.size(), shared_.threads(), [&](std::size_t i) {
    const Pool<Queued<PoseRefiner>>::Lease refiner(shared_.refiners);
    if (!refine(refiner->object, scene, *chosen[i])) all_read_ = false;
  });
  return chosen.size();
}

// Leaves the match unchanged, and returns false, if the indexed image cannot be read any more.
bool PixelComparison::refine(PoseRefiner& refiner, const Pyramid& scene, Match& match) {
  const auto object = shared_.cache.picture(match.image);
  if (!*object) return false;
  const Quad before = match.pose.quad;
  const ImageRecord& photo = input_.picture()->record;
  set_pose(refiner.refine(**object, scene, match.pose.object_to_query, match.pose.inlier_pairs),
           match);
  if (fills(match.pose.quad, photo.width, photo.height)) compare_whole(refiner, match, &**object);
  match.pose.moved_px = furthest_corner_px(before, match.pose.quad);
  if (steps_ == PixelSteps::kPose) return true;
  if (steps_ == PixelSteps::kDifference || fills(match.pose.quad, photo.width, photo.height)) {
    colours_.find_difference(match);
  }
  if (steps_ == PixelSteps::kDifference) return true;
  colours_.compare_own_cells(match);
  if (may_be_light((*object)->pixels.view())) colours_.find_content(match);
  const Evidence& evidence = match.evidence;
  if (evidence.correlation.value_or(-1) < kAgreeingPixels && shared_.is_sure(evidence)) {
    colours_.compare_colours(match);
  }
  return true;
}

// Takes the pose under which each picture fills the other if they agree better so. The indexed one
// is read at the size of the photo, so that both are reduced alike; `known` is the indexed picture
// at some size, or null.
void PixelComparison::compare_whole(PoseRefiner& refiner, Match& match, const DecodedImage* known) {
  const DecodedImage& photo = *input_.picture();
  WantedSize size(static_cast<std::uint32_t>(std::max(photo.pixels.width, photo.pixels.height)));
  size.at_least_px = size.at_most_px;
  std::optional<DecodedImage> loaded;
  if (known == nullptr ||
      std::max(known->pixels.width, known->pixels.height) != static_cast<int>(size.at_most_px)) {
    loaded = shared_.loaders.load_picture(match.image, size);
    if (!loaded) return;
    known = &*loaded;
  }
  const RefinedPose pose = refiner.whole(*known, photo);
  if (pose.correlation && *pose.correlation >= match.evidence.correlation.value_or(-1)) {
    set_pose(pose, match);
  }
}

bool PixelComparison::could_be_sure(const Match& match) const {
  if (!match.has_pose()) return false;
  Evidence best = match.evidence;
  best.correlation = best.detail = 1;
  return shared_.is_sure(best);
}

bool PixelComparison::keep_sure(std::vector<Match>& matches) {
  std::erase_if(matches, [&](const Match& match) { return !could_be_sure(match); });
  if (matches.empty()) return true;
  if (input_.picture()) refine(matches, [](const Match&) { return true; });
  rank(matches, shared_.calibration);
  std::erase_if(matches, [&](const Match& match) {
    return match.probability < shared_.options.same_probability;
  });
  return input_.picture() && all_read_;
}

}  // namespace lookalike
