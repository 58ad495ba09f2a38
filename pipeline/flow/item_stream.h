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

// Contents whose features need not be extracted: the index has them, this run has met them, or the
// cache has them. Used from several threads, but for expect().
class KnownContents {
 public:
  explicit KnownContents(const FeatureCache& cache) : cache_(cache) {}

  // The content that the index has for a file, which stays known if only the file's time has
  // changed. Call before any other thread uses this.
  void expect(const std::string& path, const ContentHash& content) { expected_[path] = content; }
  // False when it was known already.
  bool insert(const ContentHash& content);

  bool contains(const SourceFile& file, const ContentHash& content) const;
  bool is_cached(const ContentHash& content) const { return cache_.contains(content); }

 private:
  const FeatureCache& cache_;
  mutable std::mutex mutex_;
  std::unordered_set<ContentHash, ContentHasher> contents_;
  std::unordered_map<std::string, ContentHash> expected_;  // by path
};

// Reads and decodes files on several threads, and hands them on in order. Of files with the same
// content the first is decoded, or has its features in the cache, and the others are KnownContent,
// whatever the number of threads. Large files and images are decoded one at a time, so that memory
// does not grow with the threads.
//
// A file of several pages gives an item for each, which are decoded side by side as files are. The
// first has kUnfinished for the file's time; behind the last comes the file again as KnownContent,
// with its time unless a page was skipped. So the next run reads a file again if any of its
// pages is missing.
class ItemStream {
 public:
  enum class Pages { kAll, kFirst };  // of a file

  // Contents that are handed on become known; known: nullptr to decode every file. All arguments
  // must outlive the stream.
  ItemStream(const std::vector<SourceFile>& files, const RunConfig& config, StageTimes& times,
             KnownContents* known, Pages pages = Pages::kAll);
  ~ItemStream();

  // The next items, SkippedFile, KnownContent, CachedFeatures or DecodedImage: as many as hold
  // `images` of the latter two, fewer at the end; none after it.
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
  std::unique_ptr<FurtherPages> further_;
  OrderedParallel<Item> items_;  // last: its threads use what is above
};

// The files in the order in which training takes its sample: by sample_rank of their content.
// Reads all of them. Files that cannot be read come last, in their old order. Calls after_each
// after each file; an exception that it throws is passed on.
std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each);

}  // namespace lookalike
