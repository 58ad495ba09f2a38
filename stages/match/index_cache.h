#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "base/random.h"
#include "storage/index_reader.h"

namespace lookalike {

// An indexed image and its record.
struct Record {
  StoredImage image;
  StoredFeatures features;
};

// Decodes the file of an indexed image again; empty if its content can no longer be read.
// Thread-safe.
using PictureLoader = std::function<std::optional<DecodedImage>(const StoredImage&, WantedSize)>;
// Decodes it in colour, reduced to at most `most_pixels`; empty under the same condition.
// Thread-safe.
using ColourLoader = std::function<ColourImage(const StoredImage&, double most_pixels)>;

// The size at which colours are read: for differences that a person sees, or for colours alone.
enum class ColourSize : std::uint8_t { kFull, kReduced };
inline constexpr std::size_t kColourSizes = 2;
// Returns the pixels to which pictures are reduced at that size.
double most_pixels(ColourSize size);

// Reads the files of indexed images.
struct PictureLoaders {
  PictureLoader load_picture;
  ColourLoader load_colours;
};

// Bounded cache that evicts at random when full: words are read in order, so the oldest value would
// often be the next one wanted. Values that were handed out stay valid after eviction. Thread-safe;
// two threads may make one value twice.
template <typename Key, typename Value>
class Cache {
 public:
  explicit Cache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Returns the value of the key, made by make() unless cached. It takes about size_of(value)
  // bytes.
  template <typename Make, typename SizeOf>
  std::shared_ptr<const Value> get(const Key& key, Make make, SizeOf size_of) {
    if (auto known = find(key)) return known;
    auto value = std::make_shared<const Value>(make());
    put(key, value, size_of(*value));
    return value;
  }

  std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : entries_[found->second].value;
  }

  // Adds a value of about `value_bytes`, unless it is present or larger than the cache.
  void put(const Key& key, std::shared_ptr<const Value> value, std::size_t value_bytes) {
    const std::size_t size = sizeof(Value) + value_bytes;
    if (size > limit_bytes_) return;
    std::vector<std::shared_ptr<const Value>> evicted;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return;
    while (bytes_ + size > limit_bytes_) evicted.push_back(evict());
    places_.emplace(key, entries_.size());
    entries_.push_back({key, std::move(value), size});
    bytes_ += size;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    std::size_t size;
  };

  std::shared_ptr<const Value> evict() {
    const auto place = static_cast<std::size_t>(random_.below(static_cast<int>(entries_.size())));
    std::swap(entries_[place], entries_.back());
    places_[entries_[place].key] = place;
    const Entry entry = std::move(entries_.back());
    entries_.pop_back();
    places_.erase(entry.key);
    bytes_ -= entry.size;
    return entry.value;
  }

  const std::size_t limit_bytes_;
  std::mutex mutex_;  // guards what follows
  std::size_t bytes_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<Key, std::size_t> places_;  // in entries_
  Random random_{1};
};

// Caches posting lists, records and pictures of an index. Thread-safe.
class IndexCache {
 public:
  // Pictures have a longest side of at most `picture_side_px`, but for strips. The reader must
  // outlive the cache.
  IndexCache(const IndexReader& index, PictureLoaders loaders, std::uint32_t picture_side_px,
             std::size_t limit_bytes);

  // Calls visit(list) for each posting list of the word, as IndexReader::for_each_list does.
  void for_each_list(std::uint32_t word, const std::function<void(const EncodedPostings&)>& visit);
  std::shared_ptr<const Record> record(ImageId image);
  // Returns the signatures of a record's features, from their posting lists.
  std::vector<std::uint64_t> signatures(const Record& record);
  // Empty if the content can no longer be read.
  std::shared_ptr<const std::optional<DecodedImage>> picture(const StoredImage& image);
  std::shared_ptr<const ColourImage> colours(const StoredImage& image, ColourSize size);

 private:
  // A posting list, in memory of its own.
  struct CachedList {
    Bytes payload;
    ImageNumbers numbers;
  };

  const IndexReader& index_;
  const PictureLoaders loaders_;
  const std::uint32_t picture_side_px_;
  Cache<std::uint32_t, std::vector<CachedList>> postings_;  // by word
  Cache<ImageId, Record> records_;
  Cache<ImageId, std::optional<DecodedImage>> pictures_;
  std::array<Cache<ImageId, ColourImage>, kColourSizes> colours_;
};

}  // namespace lookalike
