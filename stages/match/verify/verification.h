#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/verify/pose.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// What is asked of the index.
struct Question {
  std::vector<QueryWord> words;      // by word
  std::vector<FeaturePlace> places;  // of the features that words name, full-size px
  int width = 0;                     // px
  int height = 0;
  std::optional<ImageId> itself;  // the image of the index that asks: no answer to itself
};

// What an image of the index asks of it: its forward record, one word per feature.
Question question_of(const StoredImage& image, std::span<const IndexedFeature> features);

FeaturePlace place_of(const IndexedFeature& feature);
FeaturePlace place_of(const Keypoint& keypoint);

// An indexed image with its features, by word.
struct Record {
  StoredImage image;
  std::vector<IndexedFeature> features;
};

// An image of the shortlist.
struct ShortlistedImage {
  std::shared_ptr<const Record> record;
  double votes = 0;  // its score there
};

// Pairs the features and looks for a pose. Without one, the match has no inliers. Thread-safe.
Match verify(const Question& question, const ShortlistedImage& candidate,
             const MatchOptions& options);

// All of them, in their order, on all cores.
std::vector<Match> verify_all(const Question& question,
                              const std::vector<ShortlistedImage>& candidates,
                              const MatchOptions& options);

}  // namespace lookalike
