#pragma once

#include <atomic>
#include <cstddef>

#include "base/pool.h"
#include "config/options.h"
#include "kernels/assign/assign.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/index_cache.h"
#include "stages/match/match.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"
#include "storage/index_reader.h"

namespace lookalike {

// A device object with a command queue of its own, for one thread at a time.
template <typename T>
struct Queued {
  template <typename... Arguments>
  explicit Queued(const OpenClSession& first, const Arguments&... arguments)
      : session(first.another_queue()), object(session, arguments...) {}

  OpenClSession session;
  T object;
};

// What the queries of a matcher share. Thread-safe but for Shortlist::load.
struct SharedSearch {
  // Reads the codebook and the norms, and compiles the kernels that compare pixels.
  SharedSearch(OpenClSession& device_session, const IndexReader& index_reader,
               const Calibration& index_calibration, const MatchOptions& match_options,
               PictureLoaders picture_loaders);

  // See PhotoWords::query(); one query at a time.
  IndexQuery words_of(PhotoWords& photo, std::size_t words_per_feature, std::size_t features);

  // True if evidence gives a match a probability of at least options.same_probability.
  bool is_sure(const Evidence& evidence) const;

  // Threads for the loops of one query: the queries in progress share the cores.
  std::size_t threads() const;
  // The same for loops that read the index, where some threads wait for the disk.
  std::size_t readers() const;

  OpenClSession& session;
  const IndexReader& reader;
  const Calibration calibration;
  const MatchOptions options;
  const PictureLoaders loaders;
  const Codebook codebook;
  IndexCache cache;
  Shortlist shortlist;
  const std::size_t depth;               // images of the shortlist that a first look verifies
  Pool<Queued<WordAssigner>> assigners;  // only one: see words_of()
  Pool<Queued<PoseRefiner>> refiners;
  std::atomic<std::size_t> in_progress = 0;  // queries

 private:
  std::size_t share_of(std::size_t all) const;
};

// Returns the length of a query's shortlist: the number of images that a second look verifies.
std::size_t shortlist_length(const SharedSearch& shared);
// Returns the length of a shortlist among a share of the images, (0, 1]; at least 32.
std::size_t shortlist_length(const SharedSearch& shared, double share);

}  // namespace lookalike
