#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "stages/match/match.h"

namespace lookalike {

// Minimum length of a shortlist for its votes to be evidence.
inline constexpr std::size_t kShortestListForVotes = 20;

// Returns the share of pairs that are inliers, relative to the usual 0.1.
double relative_inlier_share(const Evidence& evidence);

// A quantity of the evidence with its weight.
struct EvidenceTerm {
  std::string_view name;
  double value = 0;
  double weight = 0;

  double product() const { return value * weight; }
};

// Turns evidence into a probability: the logistic function of a weighted sum of
//   1, log(effective_inliers / 10), detail, log(relative_inlier_share),
//   log((1 + votes_excess) / 2), correlation, coherence and -log(squeeze).
// Detail and correlation count 0 where unknown or negative, the votes in a short shortlist.
// docs/measurements/quality.md, "Probabilities", gives the origin of the default weights.
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

  // Returns the terms of the sum, which is the logit.
  std::array<EvidenceTerm, kWeights> terms(const Evidence& evidence) const;

  // Returns a value in [0, 1]: 0 without a pose, 1 for identical pictures.
  double probability(const Evidence& evidence) const;

  bool operator==(const Calibration&) const = default;
};

// Evidence of matches with a pose, in photos made from an index's own images.
struct Sightings {
  std::size_t photos = 0;        // made
  std::vector<Evidence> shown;   // for images that the photos show
  std::vector<Evidence> others;  // for other images, which may show the same thing
  std::vector<Evidence> decoys;  // for other images in the mirrored photos: false matches
};

// Fits the weights to the sightings. A match in a mirrored photo is false, and a photo has as many
// false matches as its mirror image, so the others in excess of the decoys, at equal evidence, are
// true. All weights but the first are at least 0. Few sightings leave the result near `shipped`.
// Method: decoys after Elias and Gygi, "Target-decoy search strategy", Nature Methods 2007;
// logistic regression by coordinate-wise Newton steps.
Calibration calibrate(const Sightings& sightings, const Calibration& shipped = {});

}  // namespace lookalike
