#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "base/quad.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/decode/decode.h"
#include "stages/match/decide/evidence.h"
#include "storage/index_reader.h"

namespace lookalike {

// A photo that is looked up.
struct Query {
  DecodedImage image;
  FeatureSet features;  // in full-size px, extracted under the index's settings
};

// What a match is taken for, weakest first; see decision.h.
enum class Decision { kNone, kSimilar, kPart, kSameObject, kDuplicate };

// "none", "similar", "part", "same object", "duplicate".
std::string_view to_string(Decision decision);

// An indexed image that was found in a query, or that looks like it.
struct Match {
  StoredImage image;
  Evidence evidence;
  double score = 0;        // what matches are ranked by; see decision.h
  double probability = 0;  // that it shows what the query shows
  Decision decision = Decision::kNone;
  // Where it lies in the query; unset when geometry found no pose (no inliers).
  Homography object_to_query;  // between full-size pixel centres
  Quad quad{};
  std::optional<double> moved_px;  // by the pixels: the corner that they moved furthest
  std::vector<std::pair<Point, Point>> inlier_pairs;  // object px, query px
  // The query's features of these pairs, by number; with query expansion, numbers past the query's
  // own features are of hits that it was expanded by.
  std::vector<std::uint32_t> query_features;
  std::vector<std::string> gone;  // of image.paths, those where no file is any more
  bool mirrored = false;  // it lies in the query as a mirror shows it: its quad runs anticlockwise

  // Where on the query all is that agrees, if that is but a part; see shared_part.h.
  std::optional<Quad> part{};

  bool is_located() const { return evidence.inliers > 0 || evidence.identical; }
};

// The file that a match is named by: the first that is there, or the first of all.
const std::string& path_of(const Match& match);

// What a query was answered.
struct QueryResult {
  std::vector<Match> matches;  // best first, at most options.top
  std::size_t found = 0;       // all that options.report lets through
};

// Milliseconds that the steps of one query took.
struct MatchTimes {
  double words = 0;      // features to words
  double shortlist = 0;  // votes
  double verify = 0;     // forward records, pairs and poses
  double expand = 0;     // query expansion
  double locate = 0;     // correlation
};

// Finds the indexed images that a photo shows, each of at least the decision that options.report
// names. All that are answered were compared with the photo by their pixels, where they have a pose
// and their file can be read, so that no decision depends on a rank. With options.mirror, images
// are also looked for as a mirror shows them, and reported where there is a pose; one that is found
// both ways is reported as it scores better. Deterministic.
class Matcher {
 public:
  // Reads the codebook and the norms. The reader must outlive the matcher. limits: of the indexed
  // files, which are read again for correlation.
  Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options,
          const ImagesOptions& limits);
  ~Matcher();
  QueryResult match(const Query& query);
  // Looks up an image of the index by what the index knows of it, without extraction; it is not
  // among its own answers. Its file is read for correlation alone, and may be gone.
  // Throws Error(kInput) when there is no such image.
  QueryResult match_indexed(ImageId id);
  MatchTimes times() const;  // of the last query

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
