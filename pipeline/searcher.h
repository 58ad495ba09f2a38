#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/decode/decode.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/matcher.h"
#include "stages/match/sure_pairs.h"
#include "storage/index_reader.h"

namespace lookalike {

// Reads the first file of an indexed image that still has its content; nothing if none has.
std::optional<LoadedFile> load_indexed(const StoredImage& image, const ImagesOptions& limits);

// Decodes the file of an indexed image again, to a size. Returns nothing when none of its paths
// leads to its content any more, or the file exceeds the limits.
std::optional<DecodedImage> read_indexed(const StoredImage& image, WantedSize size,
                                         const ImagesOptions& limits);
// Does the same in colour, reduced to at most `most_pixels`.
std::optional<ColourImage> read_indexed_colours(const StoredImage& image, double most_pixels,
                                                const ImagesOptions& limits);

// Returns the databases that a search covers: store.database and match.shards.
std::vector<std::filesystem::path> searched_databases(const RunConfig& config);

// Returns the options that the features of an index were extracted with. Throws Error(kInput) for
// an index without images, and as extract_options_from().
ExtractOptions extract_options_of(const IndexReader& index);

// Number of photos to look up. Loading an index onto a device reads all of it; one photo reads a
// few hundredths.
enum class QueryLoad { kFew, kMany };
inline QueryLoad load_of(std::size_t queries) {
  constexpr std::size_t kMany = 100;
  return queries < kMany ? QueryLoad::kFew : QueryLoad::kMany;
}

// Looks photos up in an index: extracts features under the index's own settings and matches them.
// Under WorkLimits, calls throw Overdue between their steps and between the images that they
// compare, and LargeImage where a large image would be decoded.
// Thread-safe. Concurrent queries decode, vote and verify in parallel; extractions are serialised,
// since each uses the whole device.
class Searcher {
 public:
  // config.match controls the search, config.images the reading of files. Without a session, opens
  // the device of config.device. Index and session must outlive the searcher; nothing else may use
  // them during a call, except as IndexReader allows.
  // Loads the posting lists onto the device if config.match.device_voting is "on", or "auto" with a
  // GPU and many queries. If that fails, for example when they do not fit, "auto" logs it and votes
  // on the host.
  // Throws as extract_options_of(), Error(kInput) when the index has no images with features, and
  // Error(kDevice).
  Searcher(const IndexReader& index, const RunConfig& config, OpenClSession* session = nullptr,
           QueryLoad load = QueryLoad::kFew);

  // Builds the kernels of extraction, which the first photo would build otherwise.
  void prepare_extraction();
  // Reads a photo, or a region of it, and extracts its features. Returns why a file cannot be used.
  // Throws Error(kInput) when the region leaves the photo.
  std::variant<Query, SkippedFile> load(const std::string& path,
                                        const std::optional<Region>& region = {});
  // Does the same for a file in memory.
  std::variant<Query, SkippedFile> load(LoadedFile photo, const std::optional<Region>& region = {});

  // Extracts the features of a photo, which has the size wanted_size(extract_options()). The query
  // has no colours.
  Query with_features(DecodedImage photo);

  // As Matcher::match.
  QueryResult search(
      const Query& photo, const IsCompared& is_compared = [](const Match&) { return true; }) const {
    return matcher_.match(photo, is_compared);
  }
  // As Matcher::match_indexed, for an image of the index.
  QueryResult search(ImageId image) const { return matcher_.match_indexed(image); }
  // The same with other options for this answer; see Matcher::match.
  QueryResult search(const Query& photo, const MatchOptions& asked) const {
    return matcher_.match(photo, asked);
  }
  QueryResult search(ImageId image, const MatchOptions& asked) const {
    return matcher_.match_indexed(image, asked);
  }
  // As Matcher::pairs, Matcher::mirrored_pairs and Matcher::pair.
  SurePairs pairs(ImageId image, const PairCandidates& candidates) const {
    return matcher_.pairs(image, candidates);
  }
  SurePairs mirrored_pairs(const Query& photo, const PairCandidates& candidates) const {
    return matcher_.mirrored_pairs(photo, candidates);
  }
  SurePairs pair(ImageId image, ImageId other) const { return matcher_.pair(image, other); }
  // As Matcher::join.
  std::unique_ptr<NeighbourJoin> join(std::vector<NeighbourJoin::Image> batch,
                                      NeighbourJoin::IsVoter is_voter,
                                      const std::function<void()>& before_range) const {
    return matcher_.join(std::move(batch), std::move(is_voter), before_range);
  }
  // As Matcher::explain.
  Explanation explain(const Query& photo, ImageId image) const {
    return matcher_.explain(photo, image);
  }

  const ExtractOptions& extract_options() const { return extract_options_; }
  const DeviceInfo& device() const { return session_.device(); }

 private:
  ExtractStage& extract();
  // Pixels are brightened for comparison as they are for extraction.
  int brightness() const { return static_cast<int>(extract_options_.brighten_to); }

  const ExtractOptions extract_options_;  // the index's
  const ExtractOptions photo_options_;    // the same, with more features for a second look
  const ImagesOptions limits_;
  const std::unique_ptr<OpenClSession> own_session_;
  OpenClSession& session_;
  Matcher matcher_;
  std::mutex extracting_;  // guards extract_ and the queue of session_
  std::optional<ExtractStage> extract_;
};

// Extracts the features of a photo.
Query query_of(ExtractStage& extract, DecodedImage photo);

}  // namespace lookalike
