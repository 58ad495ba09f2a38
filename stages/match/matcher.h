#pragma once

#include <functional>
#include <memory>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/explain.h"
#include "stages/match/match.h"
#include "stages/match/vote/index_cache.h"
#include "storage/index_reader.h"

namespace lookalike {

// Finds the indexed images that a photo shows, each of at least the decision that
// options.min_decision names. Every match that is reported and has a pose was compared with the
// photo by its pixels, unless its file cannot be read, so that no decision depends on a rank. With
// options.mirror, images are also searched for in the mirrored photo, and reported where there is a
// pose; of an image that is found both ways the better score counts. With options.second_look, a
// photo without a match of at least an even chance, or of options.same_probability where that is
// more, is searched again: with all of its features instead of the first ones, more words of each,
// and more images; votes stay those of the first look. Deterministic. Queries may be asked from
// several threads at the same time. They share the cores: a query that is alone votes, verifies and
// compares on all of them. One after another turns features into words.
class Matcher {
 public:
  // Reads the codebook and the norms. Session and reader must outlive the matcher. load_picture
  // reads indexed files again for correlation; it is called from several threads. Throws
  // Error(kInput) when the index holds no images with features.
  Matcher(OpenClSession& session, const IndexReader& index, const Calibration& calibration,
          const MatchOptions& options, PictureLoader load_picture);
  ~Matcher();
  // Loads the posting lists onto the session's device, where all queries then vote, those asked at
  // the same time together; answers stay the same. For many queries: all lists are read. Not while
  // queries are asked. Throws as Shortlist::load, and then votes as before.
  void vote_on_device();
  // Of the matches with a pose, only those that `compared` accepts are compared by pixels. It is
  // called on the caller's thread, with the evidence of the features alone, perhaps several times
  // for a match; its answer must depend on the match alone.
  using Compared = std::function<bool(const Match&)>;
  QueryResult match(
      const Query& query, const Compared& compared = [](const Match&) { return true; }) const;
  // The same under other options of this answer: top, report, min_probability and mirror. The
  // others are those of the matcher.
  QueryResult match(const Query& query, const MatchOptions& asked) const;
  // Looks up an image of the index by its forward record, without extraction; it is excluded from
  // its own answer. Its file is read for correlation alone, and may be gone.
  // Throws Error(kInput) when there is no such image.
  QueryResult match_indexed(ImageId id) const;
  QueryResult match_indexed(ImageId id, const MatchOptions& asked) const;
  // Which images of a shortlist are verified; called on the caller's thread.
  using Wanted = std::function<bool(ImageId)>;
  struct Pairs {
    std::vector<Match> matches;  // by content
    // Whether every picture that was to be compared could be read: if not, a match may be missing,
    // or lack its correlation.
    bool all_read = true;
  };
  // The images that surely show what an image of the index shows (options.same_probability), of
  // those in its shortlist that `wanted` accepts. Each match is judged by itself: there is
  // no second look and no expansion, and no other match takes its features, so it does not depend
  // on what else is wanted. Pixels are compared where they could make a match sure.
  // Throws Error(kInput) when there is no such image.
  Pairs pairs(ImageId id, const Wanted& wanted) const;
  // The same of a photo's mirror image, in px of the photo.
  Pairs mirrored_pairs(const Query& photo, const Wanted& wanted) const;
  // What match() answers about an image, and the steps that lead there. The image is verified and
  // compared even where match() does not come to it. With options.mirror, the steps are those of
  // the mirrored photo if the image fits it better.
  // Throws Error(kInput) when there is no such image.
  Explanation explain(const Query& query, ImageId id) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Build the kernels that a match needs, by use on made input, so that one that comes later finds
// them in the session's cache: those that choose that many words for each feature, and those that
// compare pixels. Throw Error(kDevice).
void build_word_kernels(OpenClSession& session, std::size_t descriptor_size,
                        std::size_t words_per_feature);
void build_pixel_kernels(OpenClSession& session);

}  // namespace lookalike
