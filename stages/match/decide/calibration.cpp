#include "stages/match/decide/calibration.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lookalike {
namespace {

using Weights = std::array<double, Calibration::kWeights>;

constexpr double kUsualInliers = 10;
constexpr double kUsualVotes = 2;  // 1 + votes_excess
constexpr double kMaxVotes = 16;
// Shrinkage, in sightings: of the weights that separate others from decoys, towards 0, and of the
// weights of probabilities, towards the shipped ones. Made photos are easier than real ones, and a
// small index shows few false matches: with less shrinkage, unrelated photos were taken for the
// same object (docs/measurements/quality.md, "Probabilities").
constexpr double kShrinkageOfDecoys = 4;
constexpr double kShrinkage = 64;
constexpr int kSweeps = 300;
constexpr double kMaxStep = 1;

// Returns the quantities in the order of Calibration::kQuantities.
Weights quantities_of(const Evidence& evidence) {
  const double votes = evidence.shortlist < kShortestListForVotes
                           ? kUsualVotes
                           : std::clamp(1 + evidence.votes_excess, 1.0, kMaxVotes);
  return {1,
          std::log(evidence.effective_inliers / kUsualInliers),
          std::max(0.0, evidence.detail.value_or(0)),
          std::log(relative_inlier_share(evidence)),
          std::log(votes / kUsualVotes),
          std::max(0.0, evidence.correlation.value_or(0)),
          evidence.coherence,
          std::log(1 / evidence.squeeze)};
}

// A sighting and the probability that it is true.
struct Example {
  Weights quantities;
  double truth;
};

double logit(const Weights& weights, const Weights& quantities) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * quantities[i];
  return sum;
}

double logistic(double value) {
  return 1 / (1 + std::exp(-value));
}

// Returns the Newton step of one weight for the penalised log loss.
double newton_step(std::span<const Example> examples, const Weights& weights, std::size_t at,
                   double start, double shrinkage) {
  double slope = shrinkage * (weights[at] - start);
  double curvature = shrinkage;
  for (const Example& example : examples) {
    const double p = logistic(logit(weights, example.quantities));
    slope += (p - example.truth) * example.quantities[at];
    curvature += p * (1 - p) * example.quantities[at] * example.quantities[at];
  }
  return std::clamp(-slope / curvature, -kMaxStep, kMaxStep);
}

Weights fitted(std::span<const Example> examples, const Weights& start, double shrinkage) {
  Weights weights = start;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] += newton_step(examples, weights, i, start[i], shrinkage);
      if (i > 0) weights[i] = std::max(0.0, weights[i]);
    }
  }
  return weights;
}

void add(std::vector<Example>& examples, const std::vector<Evidence>& sightings, double truth) {
  for (const Evidence& evidence : sightings) examples.push_back({quantities_of(evidence), truth});
}

}  // namespace

double relative_inlier_share(const Evidence& evidence) {
  constexpr double kUsualShare = 0.1;
  return static_cast<double>(evidence.inliers) / std::max(1U, evidence.pairs) / kUsualShare;
}

std::array<EvidenceTerm, Calibration::kWeights> Calibration::terms(const Evidence& evidence) const {
  const Weights quantities = quantities_of(evidence);
  std::array<EvidenceTerm, kWeights> result;
  for (std::size_t i = 0; i < kWeights; ++i) {
    result[i] = {kQuantities[i], quantities[i], weights[i]};
  }
  return result;
}

double Calibration::probability(const Evidence& evidence) const {
  if (evidence.identical) return 1;
  if (evidence.effective_inliers == 0) return 0;
  return logistic(logit(weights, quantities_of(evidence)));
}

Calibration calibrate(const Sightings& sightings, const Calibration& shipped) {
  // The odds of an other over a decoy: (true + false) to false.
  std::vector<Example> examples;
  add(examples, sightings.others, 1);
  add(examples, sightings.decoys, 0);
  const Weights beyond = fitted(examples, {}, kShrinkageOfDecoys);

  examples.clear();
  add(examples, sightings.shown, 1);
  for (const Evidence& other : sightings.others) {
    const Weights quantities = quantities_of(other);
    const double false_share = std::min(1.0, std::exp(-logit(beyond, quantities)));
    examples.push_back({quantities, 1 - false_share});
  }
  return {fitted(examples, shipped.weights, kShrinkage)};
}

}  // namespace lookalike
