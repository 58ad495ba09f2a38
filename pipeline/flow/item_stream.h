#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/content_hash.h"
#include "base/parallel.h"
#include "config/options.h"
#include "pipeline/flow/feature_cache.h"
#include "pipeline/flow/item.h"
#include "pipeline/flow/stage_times.h"
#include "stages/decode/decode.h"
#include "storage/index_types.h"

namespace lookalike {

// Contents that need no extraction: those in the index, in the cache or in an earlier file of this
// run. Thread-safe except expect().
class KnownContents {
 public:
  explicit KnownContents(const FeatureCache& cache) : cache_(cache) {}

  // Records the indexed content of a changed file, which counts as known for this file only: it may
  // have a new time but the same content. Call before any other thread uses this.
  void expect(const std::string& path, const ContentHash& content) { expected_[path] = content; }
  // Returns false if the content was known already.
  bool insert(const ContentHash& content);

  bool contains(const SourceFile& file, const ContentHash& content) const;
  // True if the file had this content before the run.
  bool expects(const SourceFile& file, const ContentHash& content) const;
  bool is_cached(const ContentHash& content) const { return cache_.contains(content); }

 private:
  const FeatureCache& cache_;
  mutable std::mutex mutex_;
  std::unordered_set<ContentHash, ContentHasher> contents_;
  std::unordered_map<std::string, ContentHash> expected_;  // by path
};

// Reads and decodes files on several threads and returns them in order. The first file with a
// content is decoded, or taken from the cache; further ones are KnownContent. The result does not
// depend on the number of threads. Large files and images are decoded one at a time, so that memory
// does not grow with the threads.
//
// A file with several pages gives one item per page, decoded in parallel. The first has kUnfinished
// as the file's time. After the last, the file follows once more as KnownContent, with its time
// unless a page was skipped. So the next run reads the file again if a page is missing.
class ItemStream {
 public:
  enum class Pages { kAll, kFirst };  // which pages of a file to read

  // known: receives the contents that are returned; nullptr to decode every file. load: reads the
  // files; empty for load_file(). The other arguments must outlive the stream.
  ItemStream(const std::vector<SourceFile>& files, const RunConfig& config, StageTimes& times,
             KnownContents* known, Pages pages = Pages::kAll, const ImageLoader& load = {});
  ~ItemStream();

  // Returns the next items (SkippedFile, KnownContent, CachedFeatures or DecodedImage) up to the
  // one that completes `images` of the last two states; fewer at the end, none after it.
  std::vector<Item> next_batch(std::size_t images);

 private:
  class FurtherPages;

  std::optional<Item> next();
  Item read(const SourceFile& file);
  Item item_of(const LoadedFile& page);

  const RunConfig& config_;
  StageTimes& times_;
  KnownContents* const known_;
  const Pages pages_;
  const ImageLoader load_;
  std::unique_ptr<FurtherPages> further_;
  OrderedParallel<Item> items_;  // last: its threads use the members above
};

// Sorts files into the order in which training samples them, the sample_rank of their content.
// Reads all of them, by `load` as an ItemStream does; unreadable files come last, in their old
// order. Calls after_each after each file and passes on its exceptions.
std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each,
                                        const ImageLoader& load = {});

}  // namespace lookalike
