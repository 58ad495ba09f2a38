#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/explain.h"
#include "stages/match/index_cache.h"
#include "stages/match/match.h"
#include "stages/match/neighbour_join.h"
#include "stages/match/sure_pairs.h"
#include "storage/index_reader.h"

namespace lookalike {

struct SharedSearch;

// Finds the indexed images that a photo shows, of at least the decision options.min_decision.
// Every reported match that has a pose was compared with the photo by pixels, unless its file
// cannot be read, so no decision depends on a rank. With options.mirror, the mirrored photo is
// searched for too: its matches with a pose are reported, and an image found both ways keeps the
// better score. With options.second_look, a photo without a match of at least an even chance, or
// of options.same_probability if that is higher, is searched again with all of its features, more
// words for each, and more images; votes stay those of the first look. Of a photo of several
// things, it also searches the part that they leave, with votes of its own. Deterministic.
// Under WorkLimits, throws Overdue between steps and between images.
// Thread-safe but for vote_on_device(). Concurrent queries share the cores; only the assignment of
// features to words is serialised.
class Matcher {
 public:
  // Reads the codebook and the norms. Session and reader must outlive the matcher. The loaders
  // read indexed files again to compare pixels, from several threads at the same time. Throws
  // Error(kInput) when the index holds no images with features.
  Matcher(OpenClSession& session, const IndexReader& index, const Calibration& calibration,
          const MatchOptions& options, PictureLoaders loaders);
  ~Matcher();
  // Loads all posting lists onto the session's device. Queries then vote there, concurrent ones
  // together; answers stay the same. Worth it for many queries. Not while a query runs.
  // Throws as Shortlist::load, and leaves voting on the host.
  void vote_on_device();
  // Answers under the options of the matcher; `asked` replaces its ReportOptions.
  QueryResult match(const Query& query, const IsCompared& is_compared = {}) const;
  QueryResult match(const Query& query, const ReportOptions& asked,
                    const IsCompared& is_compared = {}) const;
  // Looks up an indexed image by its record, without extraction, and excludes it from the
  // answer. Its file is read for correlation alone, and may be gone. asked.mirror has no effect.
  // Throws Error(kInput) when there is no such image.
  QueryResult match_indexed(ImageId id) const;
  QueryResult match_indexed(ImageId id, const ReportOptions& asked) const;
  // Searches the shortlist of an indexed image for images that surely show the same thing
  // (options.same_probability). Judges each match by itself: there is no second look, and overlaps
  // are not resolved. Compares pixels only where they could make a match sure.
  // Throws Error(kInput) when there is no such image.
  SurePairs pairs(ImageId id, const PairCandidates& candidates) const;
  // The same for a photo's mirror image, in px of the photo.
  SurePairs mirrored_pairs(const Query& photo, const PairCandidates& candidates) const;
  // Compares two indexed images alone, without votes. The match is of the second; there is none if
  // they do not surely show the same. Throws as pairs().
  SurePairs pair(ImageId id, ImageId other) const;
  // Looks for the neighbours of a batch of images; see NeighbourJoin. It must not outlive the
  // matcher.
  std::unique_ptr<NeighbourJoin> join(std::vector<NeighbourJoin::Image> batch,
                                      NeighbourJoin::IsVoter is_voter,
                                      const std::function<void()>& before_range) const;
  // Explains what match() answers about an image, step by step. The image is verified and compared
  // even if match() does not reach it. With options.mirror, the steps are of the mirrored photo if
  // the image fits it better.
  // Throws Error(kInput) when there is no such image.
  Explanation explain(const Query& query, ImageId id) const;

 private:
  std::unique_ptr<SharedSearch> shared_;
};

// Compile the kernels that a query needs by running them on made input, so that a later session
// finds them in its cache: those that choose `words_per_feature` words, and those that compare
// pixels. Throw Error(kDevice).
void build_word_kernels(OpenClSession& session, std::size_t descriptor_size,
                        std::size_t words_per_feature);
void build_pixel_kernels(OpenClSession& session);

}  // namespace lookalike
