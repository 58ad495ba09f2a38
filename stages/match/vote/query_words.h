#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/assign/assign.h"
#include "stages/match/index_cache.h"
#include "stages/match/match.h"

namespace lookalike {

// A word of a query feature, with the feature's signature under that word.
struct QueryWord {
  std::uint32_t word = 0;
  std::uint64_t signature = 0;
  std::uint32_t feature = 0;  // number of the query's feature
  std::int32_t laplacian_sign = 0;

  bool operator==(const QueryWord&) const = default;
};

// A query in words of the index.
struct IndexQuery {
  std::vector<QueryWord> words;      // sorted by word, then by feature
  std::vector<FeaturePlace> places;  // by feature, full-size px
  int width = 0;                     // px
  int height = 0;
  std::optional<ImageId> excluded_image;  // never in the answer: the image looked up
};

// Returns the number of words that a feature of a photo has at the last look.
constexpr std::size_t most_words_per_feature(const MatchOptions& options) {
  return (options.second_look ? kSecondLookWords : 1) * options.words_per_feature;
}

// The nearest words of a photo's features; each feature is searched once for both looks.
class PhotoWords {
 public:
  // Both must outlive it.
  //   most_words  of a feature, at any look
  PhotoWords(const Query& photo, const Codebook& codebook, std::size_t most_words);

  // Gives each of the photo's first `features` features its `words_per_feature` <= most_words
  // nearest words, fewer if the codebook is smaller, so that a feature near the border of two words
  // still finds its like. The index stores the nearest word alone, so this costs it nothing. places
  // covers all features. Call it with one and the same assigner.
  // Method: Jegou, Douze, Schmid, "Improving bag-of-features for large scale image search",
  // IJCV 2010 (multiple assignment on the query's side).
  IndexQuery query(WordAssigner& assigner, std::size_t words_per_feature, std::size_t features);

 private:
  const Query& photo_;
  const Codebook& codebook_;
  const std::size_t most_words_;
  std::vector<std::uint32_t> found_;  // [features so far][words of each]
};

// Splits words, which are sorted by word, into those of one word each.
std::vector<std::span<const QueryWord>> word_runs(std::span<const QueryWord> words);

// Makes the query of an indexed image from its record and the signatures of its features, one word
// per feature.
IndexQuery index_query(const Record& record, std::span<const std::uint64_t> signatures);

}  // namespace lookalike
