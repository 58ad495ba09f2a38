#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/matcher.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/refine/rivals.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"
#include "stages/match/vote/vote_spread.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

enum class Look { kFirst, kSecond };

// A photo or indexed image to look up, and the options of the answer.
struct QueryInput {
  std::function<IndexQuery(Look)> words;         // the same at both looks for an indexed image
  std::function<const DecodedImage*()> picture;  // to compare; null if it cannot be read
  // Returns an empty picture if it cannot be read. Unset: nothing is compared in colour.
  std::function<std::shared_ptr<const ColourImage>(ColourSize)> colours;
  ReportOptions report{};
  Matcher::Compared is_compared{};  // see Matcher::match; empty: all
};

// Returns the input for a photo, which must outlive it, or for an indexed image.
QueryInput input_of(SharedSearch& shared, const Query& photo, const ReportOptions& report = {},
                    const Matcher::Compared& is_compared = {});
QueryInput input_of(SharedSearch& shared, const std::shared_ptr<const Record>& record,
                    const ReportOptions& report = {});

// A search of the part of a query that no match of the same object or more covers.
struct RestSearch {
  IndexQuery words;
  std::vector<RankedImage> shortlist;  // best first
  std::vector<ImageId> found;          // surely; added to the query's matches
};

// Records what the steps of a query saw.
struct QueryTrace {
  const IndexQuery& words() const { return second_look ? *second_look : first_look; }
  // Returns the search of the rest that found an image, or null.
  const RestSearch* rest_that_found(ImageId image) const;

  IndexQuery first_look;
  std::vector<RankedImage> shortlist;  // best first, by the first look; long enough for a second
  std::optional<IndexQuery> second_look;
  std::size_t verified = 0;  // leading images of the shortlist
  std::vector<RestSearch> rest;
  std::vector<Match> judged;  // all matches with their decisions, best first
};

// One query: votes, verifies, looks again, refines, judges and relates. For one thread.
class QueryRun {
 public:
  QueryRun(SharedSearch& shared, QueryInput input) : shared_(shared), input_(std::move(input)) {
    ++shared_.in_progress;
  }
  ~QueryRun() { --shared_.in_progress; }
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  // Adds the steps' durations to `times`.
  QueryTrace answer(MatchTimes& times);
  // See Matcher::pairs and Matcher::pair.
  Matcher::Pairs pairs(const Matcher::Candidates& candidates);
  Matcher::Pairs pair(ImageId other);
  // Returns the neighbours of the image with this number, which is looked up, among the best
  // `count` of candidates.images by votes; see NeighbourJoin.
  FoundNeighbours neighbours(ImageId id, const Matcher::Candidates& candidates, std::size_t count);
  // The same among candidates that are ranked by votes.
  //   pairs   [candidates], the pairs of words with each
  //   spread  of the shortlist from which the candidates come
  FoundNeighbours neighbours_among(ImageId id, const IndexQuery& query,
                                   std::span<const RankedImage> candidates,
                                   std::span<const std::vector<WordPair>> pairs,
                                   const VoteSpread& spread);
  // Explains one image by itself; verifies and compares it even if answer(), which gave the trace,
  // did not. Leaves query_features, place, total and rival to Matcher::explain.
  Explanation explain(const QueryTrace& trace, ImageId image);

 private:
  using ImageIds = std::unordered_set<ImageId>;

  std::vector<RankedImage> vote(const IndexQuery& query,
                                const Matcher::Candidates* candidates = nullptr);
  void add_sure(const IndexQuery& query, std::vector<Match> matches, Matcher::Pairs& pairs);
  bool is_sure_by_features(const IndexQuery& query, const Match& match) const;
  std::vector<std::vector<WordPair>> pairs_of(const IndexQuery& query,
                                              std::span<const RankedImage> images) const;
  std::vector<Match> verify(const IndexQuery& query, std::span<const RankedImage> images,
                            std::span<const RankedImage> shortlist) const;
  bool needs_second_look(const std::vector<Match>& ranked) const;
  RestSearch search_rest(const IndexQuery& query, const std::vector<Match>& judged,
                         std::vector<Match>& matches, MatchTimes& times);
  void rank(std::vector<Match>& matches) const;

  const DecodedImage* picture();
  bool compares_pixels();
  void add_identical(const IndexQuery& query, std::vector<Match>& matches);
  std::optional<Match> identical_match(StoredImage image, const DecodedImage* known);
  std::optional<Match> equal_match(ImageId other);
  std::size_t refine(const ImageIds& images, std::vector<Match>& matches);
  bool refine(PoseRefiner& refiner, Match& match);
  void compare_whole(PoseRefiner& refiner, Match& match, const DecodedImage* known);
  void find_difference(Match& match);
  void find_content(Match& match);
  void compare_colours(Match& match);
  std::vector<PrintEdge> prints_of(ImageId image) const;
  void compare_own_cells(Match& match);
  bool may_be_print(const Match& match);
  std::optional<PrintPairEdges> find_print(ImageId id, const Match& match);
  const ColourImage& colours(ColourSize size);
  RivalComparison compare(const Match& first, const Match& second);

  std::vector<Match> judged(const IndexQuery& query, std::vector<Match> matches) const;
  ImageIds reportable(std::span<const Match> judged) const;
  bool could_be_sure(const Match& match) const;
  bool keep_sure(std::vector<Match>& matches);

  SharedSearch& shared_;
  const MatchOptions& options_ = shared_.options;
  const QueryInput input_;
  SeenPairs seen_;                              // by the vote
  std::optional<const DecodedImage*> picture_;  // unset before it is read
  std::optional<Pyramid> scene_;                // of the picture; made for the first comparison
  std::mutex reading_colours_;
  // By size; null before they are read.
  std::array<std::shared_ptr<const ColourImage>, kColourSizes> colours_;
  std::map<std::pair<ImageId, ImageId>, RivalComparison> rivals_;
  bool finds_crops_ = false;      // true if matches that are not whole may be one picture, too
  bool finds_pose_only_ = false;  // true if refine() compares nothing beyond the pose
  ImageIds compared_;
  ImageIds not_in_rest_;               // compared with the rest of the query, and dropped
  std::atomic<bool> all_read_ = true;  // false if an image to compare could not be read
};

// Returns the matches that the options let into an answer.
std::vector<Match> reported(std::vector<Match> judged, const ReportOptions& options);

}  // namespace lookalike
