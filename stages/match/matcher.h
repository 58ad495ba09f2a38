#pragma once

#include <memory>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/match.h"
#include "stages/match/vote/index_cache.h"
#include "storage/index_reader.h"

namespace lookalike {

// Milliseconds that the steps of one query took.
struct MatchTimes {
  double words = 0;      // features to words
  double shortlist = 0;  // votes
  double verify = 0;     // forward records, pairs and poses
  double expand = 0;     // query expansion
  double locate = 0;     // correlation
};

// Finds the indexed images that a photo shows, each of at least the decision that options.report
// names. Every match that is reported and has a pose was compared with the photo by its pixels,
// unless its file cannot be read, so that no decision depends on a rank. With options.mirror,
// images are also searched for in the mirrored photo, and reported where there is a pose; of an
// image that is found both ways the better score counts. Deterministic.
class Matcher {
 public:
  // Reads the codebook and the norms. The reader must outlive the matcher. load_picture reads
  // indexed files again for correlation. Throws Error(kInput) when the index holds no images with
  // features.
  Matcher(OpenClSession& session, const IndexReader& index, const Calibration& calibration,
          const MatchOptions& options, PictureLoader load_picture);
  ~Matcher();
  QueryResult match(const Query& query);
  // Looks up an image of the index by its forward record, without extraction; it is excluded from
  // its own answer. Its file is read for correlation alone, and may be gone.
  // Throws Error(kInput) when there is no such image.
  QueryResult match_indexed(ImageId id);
  MatchTimes times() const;  // of the last query

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
