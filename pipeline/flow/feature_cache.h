#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "config/options.h"
#include "pipeline/flow/item.h"

namespace lookalike {

// A cache on disk, in the folder DATABASE.work, for features that are extracted before a codebook
// exists. This run indexes them from there, as does the next one if this one is stopped or killed.
// Each chunk is a file of statistics and one of features, named by a digest of the settings; only
// complete chunks are used. contains(), place_of(), load() and add() are thread-safe. Throws
// Error(kStorage) when the folder is a link or cannot be read or written.
class FeatureCache {
 public:
  // The position of an image's features.
  struct Place {
    std::size_t chunk = 0;
    std::size_t index = 0;     // in the chunk
    std::size_t features = 0;  // number of features
    PixelSums sums;
  };

  // Removes chunks that are damaged or were extracted under other settings.
  explicit FeatureCache(const RunConfig& config);

  // True if an earlier run left this content.
  bool contains(const ContentHash& content) const { return earlier_.contains(content); }
  // Returns the position of an item of CachedFeatures.
  Place place_of(const Item& item) const;
  // Turns items of CachedFeatures, which must differ in content, into ImageFeatures of their files.
  // Leaves other items alone. Reads whole chunks. Items added by this run can be loaded only after
  // flush().
  void load(std::span<Item> items) const;

  // Adds the features of an item of ImageFeatures, which becomes CachedFeatures unless it is blank.
  void add(Item& item);
  void flush();  // writes what was added
  // Returns the folder, which the first flush creates.
  const std::filesystem::path& folder() const { return folder_; }
  void discard();  // removes the folder, unless it holds other files

 private:
  using Places = std::unordered_map<ContentHash, Place, ContentHasher>;

  [[noreturn]] void fail(const std::string& what) const;
  std::filesystem::path file(std::size_t chunk, const char* extension) const;
  void find_chunks();
  bool read_places(std::size_t chunk);
  void write_pending();

  const std::filesystem::path folder_;
  const std::string key_;
  const VarianceOptions variance_;
  Places earlier_;            // constant after construction
  mutable std::mutex mutex_;  // guards the members below
  Places added_;
  std::vector<std::pair<ImageFeatures, PixelSums>> pending_;  // the next chunk
  std::size_t pending_bytes_ = 0;
  std::size_t next_chunk_ = 0;
};

}  // namespace lookalike
