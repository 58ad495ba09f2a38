#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "stages/match/match.h"

namespace lookalike {

// In a shortlist of fewer images no number of votes is usual.
inline constexpr std::size_t kShortestListForVotes = 20;

// The share of the pairs that are inliers, over 0.1, which is usual.
double relative_inlier_share(const Evidence& evidence);

// A quantity of the evidence, and its weight.
struct EvidenceTerm {
  std::string_view name;
  double value = 0;
  double weight = 0;

  double product() const { return value * weight; }
};

// How evidence becomes a probability: a logistic function of
//   1, log(effective inliers / 10), the agreement in detail (0 where it is unknown or negative),
//   log(relative_inlier_share), log((1 + votes_excess) / 2), 0 in a short shortlist, the
//   correlation (as detail), the coherence of the pose, and minus the logarithm of its squeeze.
// docs/measurements/quality.md, "Probabilities", says where the default weights come from.
struct Calibration {
  static constexpr std::array<std::string_view, 8> kQuantities = {"constant",
                                                                  "effective inliers (log)",
                                                                  "agreement in detail",
                                                                  "inliers among pairs (log)",
                                                                  "votes (log)",
                                                                  "correlation",
                                                                  "coherence",
                                                                  "squeeze (minus log)"};
  static constexpr std::size_t kWeights = kQuantities.size();
  std::array<double, kWeights> weights = {-0.3, 1.6, 0.8, 2, 0.75, 1.65, 0.4, 0.55};

  // What the quantities of the function above contribute: their sum is the logit.
  std::array<EvidenceTerm, kWeights> terms(const Evidence& evidence) const;

  // [0, 1]; 0 without a pose, 1 for identical pictures.
  double probability(const Evidence& evidence) const;

  bool operator==(const Calibration&) const = default;
};

// Evidence of matches with a pose in photos that were made of an index's own images.
struct Sightings {
  std::size_t photos = 0;        // that could be made
  std::vector<Evidence> shown;   // of the images that the photos show
  std::vector<Evidence> others;  // of other images, which may show the same thing too
  std::vector<Evidence> decoys;  // of other images in the mirrored photos: false matches
};

// The weights under which probabilities agree with the sightings. A match in a mirrored photo is
// false, and a photo has as many false matches as its mirror image; so the others in excess of the
// decoys, evidence for evidence, are true. Weights but the first are at least 0. The fewer
// sightings, the nearer the result is to `shipped`.
// Method: decoys after Elias and Gygi, "Target-decoy search strategy", Nature Methods 2007;
// logistic regression by coordinate-wise Newton steps.
Calibration calibrate(const Sightings& sightings, const Calibration& shipped = {});

}  // namespace lookalike
