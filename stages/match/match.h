#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/artefacts.h"
#include "pipeline/homography.h"
#include "stages/decode/decode.h"
#include "storage/index_reader.h"

namespace lookalike {

// A photo that is looked up.
struct Query {
  DecodedImage image;
  FeatureSet features;  // in full-size px, extracted under the index's settings
};

// Corners in full-size pixels: top-left, top-right, bottom-right, bottom-left of the indexed
// image. A corner is the outer corner of the corner pixel, counted from the outer corner of the
// query's top-left pixel, so the whole query is (0, 0), (w, 0), (w, h), (0, h).
using Quad = std::array<Point, 4>;

// The quad of a w x h object under a map between pixel centres.
Quad outline(const Homography& object_to_scene, int width, int height);

// An indexed image that was found in a query.
struct Match {
  StoredImage image;
  double score = 0;  // effective inliers (see pose.h), times 1 + the correlation where positive
  std::uint32_t inliers = 0;          // feature pairs that agree on the pose
  std::optional<double> correlation;  // at the sharpened pose; absent when it could not be taken
  Homography object_to_query;         // between full-size pixel centres
  Quad quad{};
  std::vector<std::pair<Point, Point>> inlier_pairs;  // object px, query px
};

// Finds the indexed images that a photo shows, best first, at most options.top of them, each with
// at least options.min_inliers inliers and options.min_score. Deterministic.
class Matcher {
 public:
  // Reads the codebook and the norms. The reader must outlive the matcher.
  Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options);
  ~Matcher();
  std::vector<Match> match(const Query& query);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
