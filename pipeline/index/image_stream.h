#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/content_hash.h"
#include "base/parallel.h"
#include "config/options.h"
#include "pipeline/index/feature_cache.h"
#include "pipeline/index/stage_times.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Contents whose features need not be taken: the index has them, or this run has met them. Used
// from several threads.
class KnownContents {
 public:
  // What the index has of a file, for when only its time has changed. Before any other thread.
  void expect(const std::string& path, const ContentHash& content) { expected_[path] = content; }

  bool contains(const ContentHash& content) const {
    const std::lock_guard lock(mutex_);
    return contents_.contains(content);
  }
  // Whether the content is known, or is that which was expected of this very file.
  bool contains(const SourceFile& file, const ContentHash& content) const {
    const auto expected = expected_.find(file.path);
    return (expected != expected_.end() && expected->second == content) || contains(content);
  }
  // False when it was known already.
  bool insert(const ContentHash& content) {
    const std::lock_guard lock(mutex_);
    return contents_.insert(content).second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<ContentHash, ContentHasher> contents_;
  std::unordered_map<std::string, ContentHash> expected_;  // by path
};

// A file whose content is known.
struct CopyOfImage {
  SourceFile file;
  ContentHash content{};
};

// A file whose features an earlier run left in the cache.
struct CachedImage {
  SourceFile file;
  ContentHash content{};
};

using StreamItem = std::variant<DecodedImage, CachedImage, CopyOfImage, SkippedFile>;

// Reads and decodes files on several threads and hands them on in order. Of files with the same
// content, the first is decoded, or comes from the cache, and the others come as copies, whatever
// the number of threads.
// Large ones are decoded one at a time, so that memory does not grow with the threads.
class ImageStream {
 public:
  // What is handed on becomes known. All arguments must outlive the stream.
  ImageStream(const std::vector<SourceFile>& files, const RunConfig& config, KnownContents& known,
              const FeatureCache& cache, StageTimes& times);

  // Nothing at the end.
  std::optional<StreamItem> next();

 private:
  StreamItem read(const SourceFile& file);

  const RunConfig& config_;
  KnownContents& known_;
  const FeatureCache& cache_;
  StageTimes& times_;
  std::mutex large_;
  OrderedParallel<StreamItem> items_;  // last: its threads use what is above
};

// The files in the order in which training takes its sample: by sample_rank of their content.
// Reads all of them. Files that cannot be read come last, in their old order. Calls after_each
// after each file; what that throws ends it.
std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each);

}  // namespace lookalike
