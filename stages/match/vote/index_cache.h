#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/artefacts.h"
#include "storage/index_reader.h"

namespace lookalike {

// The forward record of an indexed image.
struct Record {
  StoredImage image;
  std::vector<IndexedFeature> features;  // by word
};

// Decodes the file of an indexed image again; nothing when its content can no longer be read.
// Called from several threads at the same time.
using PictureLoader = std::function<std::optional<DecodedImage>(const StoredImage&, WantedSize)>;

// Bounded cache; cleared when full. Values that were handed out stay alive with their holder. May
// be used from several threads at the same time, which may then make one value twice.
template <typename Key, typename Value>
class Cache {
 public:
  explicit Cache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // The value of the key, cached or made by make(), of about size_of(value) bytes.
  template <typename Make, typename SizeOf>
  std::shared_ptr<const Value> get(const Key& key, Make make, SizeOf size_of) {
    if (auto known = find(key)) return known;
    auto value = std::make_shared<const Value>(make());
    const std::size_t size = sizeof(Value) + size_of(*value);
    if (size > limit_bytes_) return value;
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > limit_bytes_) {
      values_.clear();
      bytes_ = 0;
    }
    if (values_.emplace(key, value).second) bytes_ += size;
    return value;
  }

 private:
  std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : found->second;
  }

  const std::size_t limit_bytes_;
  std::mutex mutex_;  // guards what follows
  std::size_t bytes_ = 0;
  std::unordered_map<Key, std::shared_ptr<const Value>> values_;
};

// Cache of posting lists, forward records and pictures of an index. May be used from several
// threads at the same time.
class IndexCache {
 public:
  // The reader must outlive the cache.
  IndexCache(const IndexReader& index, PictureLoader load_picture, std::size_t limit_bytes);

  std::shared_ptr<const WordPostings> postings(std::uint32_t word);
  std::shared_ptr<const Record> record(ImageId image);
  // Its longest side is at most PoseSharpener::kLongestSidePx.
  std::shared_ptr<const std::optional<DecodedImage>> picture(const StoredImage& image);

 private:
  const IndexReader& index_;
  const PictureLoader load_picture_;
  Cache<std::uint32_t, WordPostings> postings_;
  Cache<ImageId, Record> records_;
  Cache<ImageId, std::optional<DecodedImage>> pictures_;
};

}  // namespace lookalike
