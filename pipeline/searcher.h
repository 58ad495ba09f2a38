#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/decode/decode.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/matcher.h"
#include "storage/index_reader.h"

namespace lookalike {

// The file of an indexed image, decoded again to a size. Nothing when none of its paths leads to
// its content any more, or the file exceeds the limits.
std::optional<DecodedImage> read_indexed(const StoredImage& image, WantedSize size,
                                         const ImagesOptions& limits);

// The databases of the index that config names for searching: store.database and match.shards.
std::vector<std::filesystem::path> searched_databases(const RunConfig& config);

// The settings under which the features of an index were extracted. Throws as Searcher.
ExtractOptions extract_options_of(const IndexReader& index);

// How many photos will be looked up. Loading an index onto a device reads all of it, where a photo
// reads a few hundredths.
enum class QueryLoad { kFew, kMany };
inline QueryLoad load_of(std::size_t queries) {
  constexpr std::size_t kMany = 100;
  return queries < kMany ? QueryLoad::kFew : QueryLoad::kMany;
}

// Looks photos up in an index: the index, the device, extraction under the index's own settings,
// and the matcher, assembled once. May be used from several threads at the same time: they decode,
// vote and verify side by side, and extract features one after another, since OpenCL spreads one
// extraction over the device.
class Searcher {
 public:
  // config.match governs the search, config.images the files that are read. Without a session,
  // the device that config.device chooses is opened. Index and session must outlive the searcher,
  // and are not to be used by others during a call, except for what IndexReader allows.
  // With config.match.device_voting "on", or "auto" on a GPU for many queries, the posting lists go
  // onto the device; where that fails, as when they do not fit, "auto" votes on the host and
  // logs it.
  // Throws Error(kStorage) when the index lacks a setting, Error(kInput) when it holds no images
  // with features, Error(kDevice).
  Searcher(const IndexReader& index, const RunConfig& config, OpenClSession* session = nullptr,
           QueryLoad load = QueryLoad::kFew);

  // Compiles what extraction needs, which otherwise happens with the first photo.
  void prepare_extraction();
  // Reads a photo, or a region of it, and extracts its features. A file that cannot be used is a
  // value. Throws Error(kInput) when the region leaves the photo.
  std::variant<Query, SkippedFile> load(const std::string& path,
                                        const std::optional<Region>& region = {});
  // The same for a file in memory.
  std::variant<Query, SkippedFile> load(const LoadedFile& photo,
                                        const std::optional<Region>& region = {});

  // A photo of the size wanted_size(extract_options()), with its features.
  Query with_features(DecodedImage photo);

  // As Matcher::match.
  QueryResult search(
      const Query& photo,
      const Matcher::Compared& compared = [](const Match&) { return true; }) const {
    return matcher_.match(photo, compared);
  }
  // An image of the index; see Matcher::match_indexed.
  QueryResult search(ImageId image) const { return matcher_.match_indexed(image); }
  // The same under other options of this answer; see Matcher::match.
  QueryResult search(const Query& photo, const MatchOptions& asked) const {
    return matcher_.match(photo, asked);
  }
  QueryResult search(ImageId image, const MatchOptions& asked) const {
    return matcher_.match_indexed(image, asked);
  }
  // As Matcher::pairs and Matcher::mirrored_pairs.
  Matcher::Pairs pairs(ImageId image, const Matcher::Wanted& wanted) const {
    return matcher_.pairs(image, wanted);
  }
  Matcher::Pairs mirrored_pairs(const Query& photo, const Matcher::Wanted& wanted) const {
    return matcher_.mirrored_pairs(photo, wanted);
  }
  // As Matcher::explain.
  Explanation explain(const Query& photo, ImageId image) const {
    return matcher_.explain(photo, image);
  }

  const ExtractOptions& extract_options() const { return extract_options_; }
  const DeviceInfo& device() const { return session_.device(); }

 private:
  std::variant<Query, SkippedFile> query_or_reason(std::variant<DecodedImage, SkippedFile> decoded);
  ExtractStage& extract();
  // Pixels are compared as features are found: dark ones brightened.
  int brightness() const { return static_cast<int>(extract_options_.brighten_to); }

  const ExtractOptions extract_options_;  // of the index
  const ExtractOptions photo_options_;    // the same, with the features of a second look
  const ImagesOptions limits_;
  const std::unique_ptr<OpenClSession> own_session_;
  OpenClSession& session_;
  Matcher matcher_;
  std::mutex extracting_;  // guards what follows, and the queue of session_
  std::optional<ExtractStage> extract_;
};

// A photo with its features.
Query query_of(ExtractStage& extract, DecodedImage photo);

}  // namespace lookalike
