#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/progress.h"
#include "config/options.h"
#include "pipeline/calibrate/made_photo.h"
#include "stages/match/match.h"
#include "storage/index_reader.h"

// The synthetic suite: how well distorted photos are found again.
namespace lookalike {

// A file that the suite leaves out, and the reason.
struct LeftOutImage {
  std::string path;
  std::string why;
};

// The photos that the suite distorts.
struct Selection {
  std::vector<StoredImage> photos;  // by path
  std::vector<LeftOutImage> left_out;
};

// Selects the `count` images of the index with the smallest sample_rank(content, seed), or fewer;
// with `files`, only images of these files, each content once. Leaves out images without features,
// which no query can find, and files that are not in the index. Throws Error(kInput) when nothing
// remains.
Selection select_photos(const IndexReader& index,
                        const std::optional<std::span<const SourceFile>>& files, std::size_t count,
                        std::uint64_t seed);

struct SuiteOptions {
  std::vector<VariantKind> kinds;
  std::uint64_t seed = 1;
  ExtractOptions extract;  // the index's
  ImagesOptions limits;
};

// The answer to one variant of one photo.
struct SuiteAnswer {
  std::string photo;
  std::size_t kind = 0;      // index into the kinds
  std::size_t strength = 0;  // index into the kind's strengths
  std::size_t rank = 0;      // of the photo, from 1; 0: not found
  double iou = 0;            // of the answered and the true quad
  std::string first;         // the best match; empty without any
  bool confirmed = false;    // the photo is first, and the same object or more
};

struct SuiteResult {
  std::vector<VariantKind> kinds;
  std::size_t photos = 0;
  std::vector<LeftOutImage> left_out;
  std::vector<SuiteAnswer> answers;  // by photo, kind and strength
};

// Looks up a photo; returns the matches, best first. Called from several threads at the same time.
using LookUp = std::function<std::vector<Match>(DecodedImage photo)>;

// Longest side of a photo before it is distorted, so that a strength has the same effect on all.
inline constexpr int kSuitePhotoSidePx = 1024;

// Makes every variant of every photo and looks it up. Leaves out photos that can no longer be read
// or have changed since they were indexed; a variant that is too small to be looked up counts as
// not found. Random choices depend only on the seed, the photo's content, the kind and the
// strength, so that a variant does not depend on the others.
SuiteResult run_suite(Selection selection, const SuiteOptions& options, const LookUp& look_up,
                      Progress::Style style);

// One kind in one strength, over all photos.
struct SuiteRow {
  std::string kind;
  std::string unit;
  double strength = 0;
  std::size_t queries = 0;
  double recall_at_1 = 0;            // share of the photos found first
  double recall_at_1_confirmed = 0;  // share of the photos found first and confirmed
  double located_at_75 = 0;          // share of the photos found with IoU >= 0.75
};
std::vector<SuiteRow> suite_rows(const SuiteResult& result);

}  // namespace lookalike
