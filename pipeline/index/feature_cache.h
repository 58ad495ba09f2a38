#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "config/options.h"
#include "pipeline/index/extracted_image.h"

namespace lookalike {

// Images that were extracted before there was a codebook, kept in the folder DATABASE.work: this
// run indexes them from there, and so does the next one after a run that was stopped or killed.
// They are kept in chunks, each a file of statistics and then one of features, whole or not at all,
// named by a digest of the settings. Used from one thread, but for contains(). Throws
// Error(kStorage) when the folder is a link, or cannot be read or written.
class FeatureCache {
 public:
  // Removes what is damaged or was extracted under other settings.
  explicit FeatureCache(const RunConfig& config);

  // Whether an earlier run left this image.
  bool contains(const ContentHash& content) const { return earlier_.contains(content); }
  // An image that is there, added ones after flush() only; it is said to be of this file.
  ExtractedImage load(const SourceFile& file, const ContentHash& content);

  // Keeps an image, unless it is there.
  void add(ExtractedImage image);
  void flush();  // what was added is on the disk
  // There from the first flush on; what else is put there is gone with it.
  const std::filesystem::path& folder() const { return folder_; }
  void discard();  // removes the folder

 private:
  struct Place {
    std::size_t chunk = 0;
    std::size_t index = 0;
    PixelSums sums;
  };
  using Places = std::unordered_map<ContentHash, Place, ContentHasher>;

  [[noreturn]] void fail(const std::string& what) const;
  std::filesystem::path file(std::size_t chunk, const char* extension) const;
  void find_chunks();
  bool read_places(std::size_t chunk);
  const ImageFeatures& features(const Place& place);

  const std::filesystem::path folder_;
  const std::string key_;
  const VarianceOptions variance_;
  Places earlier_;
  Places added_;
  std::vector<ExtractedImage> pending_;  // the chunk that is being filled
  std::size_t pending_bytes_ = 0;
  std::size_t next_chunk_ = 0;
  // Those last read: reading goes on in order, but earlier runs' and our chunks take turns.
  std::deque<std::pair<std::size_t, std::vector<ImageFeatures>>> loaded_;
};

}  // namespace lookalike
