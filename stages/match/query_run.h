#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/matcher.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

enum class Look { kFirst, kSecond };

// What is looked up, and how the answer is to be.
struct QueryInput {
  std::function<IndexQuery(Look)> words;         // to search with
  std::function<const DecodedImage*()> picture;  // to compare by pixels; null if unreadable
  ReportOptions report{};
  Matcher::Compared is_compared{};  // see Matcher::match; empty: every match
};

// Returns the input for a photo, which must outlive it, or for an indexed image.
QueryInput input_of(SharedSearch& shared, const Query& photo, const ReportOptions& report = {},
                    const Matcher::Compared& is_compared = {});
QueryInput input_of(SharedSearch& shared, const std::shared_ptr<const Record>& record,
                    const ReportOptions& report = {});

// What the steps of a query saw.
struct QueryTrace {
  const IndexQuery& words() const { return second_look ? *second_look : first_look; }

  IndexQuery first_look;
  std::vector<RankedImage> shortlist;  // by the first look's votes; all that a second look verifies
  std::optional<IndexQuery> second_look;
  std::size_t verified = 0;   // images of the shortlist, the first ones
  std::vector<Match> judged;  // all matches with their decisions, best first
};

// The way of one query: vote, verify, look again, expand, refine, judge. For one thread.
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
  // See Matcher::pairs.
  Matcher::Pairs pairs(const Matcher::Wanted& wanted);
  // The steps of a query for one image by itself, verified and compared even where the query does
  // not come to it. Leaves out what depends on other matches; see Matcher::explain.
  Explanation explain(const QueryTrace& trace, ImageId image);

 private:
  using ImageIds = std::unordered_set<ImageId>;

  std::vector<RankedImage> vote(const IndexQuery& query) const;
  std::vector<Match> verify(const IndexQuery& query, std::span<const RankedImage> images,
                            std::span<const RankedImage> shortlist) const;
  bool needs_second_look(const std::vector<Match>& ranked) const;
  void expand(const IndexQuery& query, std::vector<Match>& matches) const;
  void rank(std::vector<Match>& matches) const;

  const DecodedImage* picture();
  bool has_pixels();
  void add_identical(const IndexQuery& query, std::vector<Match>& matches);
  std::size_t refine(const ImageIds& images, std::vector<Match>& matches);
  bool refine(PoseRefiner& refiner, Match& match);
  void compare_whole(PoseRefiner& refiner, Match& match, const DecodedImage* known);

  void judge(const IndexQuery& query, std::vector<Match>& matches) const;
  std::vector<Match> judged(const IndexQuery& query, std::vector<Match> matches) const;
  ImageIds listed(std::span<const Match> judged) const;
  bool could_be_sure(const Match& match) const;

  SharedSearch& shared_;
  const MatchOptions& options_ = shared_.options;
  const QueryInput input_;
  std::optional<const DecodedImage*> picture_;  // once it was read
  std::optional<Pyramid> scene_;                // of the picture, once an image is compared
  ImageIds compared_;
  std::atomic<bool> all_read_ = true;  // of the images to compare
};

// The matches that the options let into an answer.
std::vector<Match> reported(std::vector<Match> judged, const ReportOptions& options);

}  // namespace lookalike
