#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "stages/match/colour_comparison.h"
#include "stages/match/match.h"
#include "stages/match/query_input.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {

// What pixels tell about a match.
enum class PixelSteps : std::uint8_t {
  kPose,        // nothing beyond its pose
  kDifference,  // also the differences, of crops too: two that are not whole may be one picture
  kAll          // also the differences of whole pictures, content, and colours
};

// Compares a query with its matches by pixels, each image once. For one thread.
class PixelComparison {
 public:
  PixelComparison(SharedSearch& shared, QueryInput& input, PixelSteps steps)
      : shared_(shared), input_(input), steps_(steps), colours_(shared, input) {}

  // True if matches are to be compared with the query's picture.
  bool is_possible();
  bool has_compared(ImageId image) const { return compared_.contains(image); }
  // Counts an image as compared.
  void skip(ImageId image) { compared_.insert(image); }
  // Adds the indexed image of the photo's very file, if its pixels agree: it may have too few
  // features to be found.
  void add_identical(const IndexQuery& query, std::vector<Match>& matches);
  // Returns the match of an image with the photo's pixels, judged by the differences in colour and
  // full size; nothing if its pixels are others. Reads no words: their lists are long if many
  // images show the same.
  std::optional<Match> equal_match(ImageId other);
  // Refines the poses of the chosen matches that were not compared yet; returns their number.
  std::size_t refine(std::vector<Match>& matches, const IsCompared& is_chosen);
  // True if the match would be sure if all pixels agreed.
  bool could_be_sure(const Match& match) const;
  // Compares the matches that may be sure by pixels, and keeps those that are, ranked. Returns
  // false if a picture could not be read, now or before.
  bool keep_sure(std::vector<Match>& matches);

  ColourComparison& colours() { return colours_; }

 private:
  std::optional<Match> identical_match(StoredImage image, const DecodedImage* known);
  bool refine(PoseRefiner& refiner, const Pyramid& scene, Match& match);
  void compare_whole(PoseRefiner& refiner, Match& match, const DecodedImage* known);

  SharedSearch& shared_;
  QueryInput& input_;
  const PixelSteps steps_;
  ColourComparison colours_;
  std::unordered_set<ImageId> compared_;
  std::atomic<bool> all_read_ = true;  // false if an image to compare could not be read
};

}  // namespace lookalike
