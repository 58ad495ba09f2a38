#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/options.h"
#include "stages/decode/decode.h"
#include "stages/match/match.h"
#include "tools/evaluate/synthetic/selection.h"
#include "tools/evaluate/synthetic/variant.h"

// How well photos are found again after they were made different.
namespace lookalike {

struct SuiteOptions {
  std::vector<VariantKind> kinds;
  std::uint64_t seed = 1;
  ExtractOptions extract;  // the index's
  ImagesOptions limits;
};

// What was answered when one variant of one photo was looked up.
struct SuiteAnswer {
  std::string photo;
  std::size_t kind = 0;      // index into the kinds
  std::size_t strength = 0;  // index into the kind's strengths
  std::size_t rank = 0;      // of the photo, from 1; 0: not found
  double iou = 0;            // of the place found and the true one
  std::string first;         // the image that was found first; empty: none
};

struct SuiteResult {
  std::vector<VariantKind> kinds;
  std::size_t photos = 0;
  std::vector<LeftOut> left_out;
  std::vector<SuiteAnswer> answers;  // by photo, kind and strength
};

// Looks a photo up: the matches, best first.
using Ask = std::function<std::vector<Match>(DecodedImage photo)>;

// Photos are reduced to this longest side before they are made different, so that a strength means
// the same for all of them.
inline constexpr int kSuitePhotoSidePx = 1024;

// Makes every variant of every photo and looks it up. A photo that cannot be read any more, or
// whose file has changed since it was indexed, is left out; a variant that became too small to be
// looked up counts as not found. Chance depends on the seed, the photo's content, the kind and the
// strength alone, so that a variant is the same whatever else is asked.
SuiteResult run_suite(Selection selection, const SuiteOptions& options, const Ask& ask,
                      Progress::Style style);

// One kind in one strength, over all photos.
struct SuiteRow {
  std::string kind;
  std::string unit;
  double strength = 0;
  std::size_t queries = 0;
  double recall_at_1 = 0;    // share whose photo was found first
  double located_at_75 = 0;  // share whose photo was found, with IoU >= 0.75
};
std::vector<SuiteRow> suite_rows(const SuiteResult& result);

}  // namespace lookalike
