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

// Features that were extracted before there was a codebook, kept in the folder DATABASE.work: this
// run indexes them from there, and so does the next one after a run that was stopped or killed.
// They are kept in chunks, each a file of statistics and then one of features, whole or not at all,
// named by a digest of the settings. contains(), place_of(), load() and add() may run on several
// threads. Throws Error(kStorage) when the folder is a link, or cannot be read or written.
class FeatureCache {
 public:
  // Where the features of an image are.
  struct Place {
    std::size_t chunk = 0;
    std::size_t index = 0;     // in the chunk
    std::size_t features = 0;  // their number
    PixelSums sums;
  };

  // Removes what is damaged or was extracted under other settings.
  explicit FeatureCache(const RunConfig& config);

  // Whether an earlier run left this content.
  bool contains(const ContentHash& content) const { return earlier_.contains(content); }
  // That of an item of CachedFeatures.
  Place place_of(const Item& item) const;
  // Turns items of CachedFeatures, of different contents, into ImageFeatures, attributed to their
  // files; others stay. Reads every chunk that they lie in. What this run added can be loaded after
  // flush() only.
  void load(std::span<Item> items) const;

  // Keeps the features of an item of ImageFeatures, which become CachedFeatures unless it is blank.
  void add(Item& item);
  void flush();  // what was added is on the disk
  // Exists from the first flush on; other files that are put there go with it.
  const std::filesystem::path& folder() const { return folder_; }
  void discard();  // removes the folder

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
  Places earlier_;            // does not change
  mutable std::mutex mutex_;  // of what follows
  Places added_;
  std::vector<std::pair<ImageFeatures, PixelSums>> pending_;  // the chunk that is being filled
  std::size_t pending_bytes_ = 0;
  std::size_t next_chunk_ = 0;
};

}  // namespace lookalike
