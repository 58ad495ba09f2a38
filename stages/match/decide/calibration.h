#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/match/decide/evidence.h"

namespace lookalike {

// How evidence becomes a probability: a logistic function of
//   1, log(effective inliers / 10), the agreement in detail (0 where it is unknown or negative),
//   log(inliers / pairs / 0.1), and log((1 + votes_excess) / 2), 0 in a short shortlist.
// EXPERIMENTS.md says where the default weights come from.
struct Calibration {
  static constexpr std::size_t kWeights = 5;
  std::array<double, kWeights> weights = {-4, 2.5, 6, 2, 3};

  // [0, 1]; 0 without a pose, 1 for identical pictures.
  double probability(const Evidence& evidence) const;

  bool operator==(const Calibration&) const = default;
};

// What is found, with a pose, in photos that were made of an index's own images.
struct Sightings {
  std::vector<Evidence> shown;   // of the images that the photos show
  std::vector<Evidence> others;  // of other images, which may show the same thing too
  std::vector<Evidence> decoys;  // of other images, in the same photos mirrored: false ones
};

// The weights under which probabilities agree with the sightings. A match in a mirrored photo is
// false, and in a photo as many are false as in its mirror image; so what others have beyond the
// decoys, evidence for evidence, is true. Weights but the first stay at least 0. The fewer
// sightings, the nearer the result is to `shipped`.
// Method: decoys after Elias and Gygi, "Target-decoy search strategy", Nature Methods 2007;
// logistic regression by coordinate-wise Newton steps.
Calibration calibrate(const Sightings& sightings, const Calibration& shipped = {});

// Under this name an index keeps its own, as text. A change of what is weighed takes another name.
inline constexpr std::string_view kCalibrationName = "calibration.detail";

// As text, and back; nothing for a text of another form.
std::string to_text(const Calibration& calibration);
std::optional<Calibration> calibration_from(std::string_view text);

}  // namespace lookalike
