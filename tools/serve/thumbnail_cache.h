#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/content_hash.h"

namespace lookalike {

// Thumbnails on disk by the content of an image and their size, one file each, which appears whole
// or not at all. A checksum reveals a damaged file, which is then made again. Those that were not
// used for longest give way to new ones. Several servers may share a folder. Thread-safe. Failing
// to read or write costs time only, and throws nothing.
class ThumbnailCache {
 public:
  // An empty folder, or no bytes, turns the cache off. The folder must hold nothing else.
  ThumbnailCache(std::filesystem::path folder, std::uint64_t most_bytes);

  // Returns a JPEG whose longest side has `side_px`; nothing if it is not there or damaged.
  std::optional<std::vector<std::uint8_t>> load(const ContentHash& content, int side_px) const;
  void store(const ContentHash& content, int side_px, std::span<const std::uint8_t> jpeg);

 private:
  std::filesystem::path file_of(const ContentHash& content, int side_px) const;
  void make_room();

  const std::filesystem::path folder_;
  const std::uint64_t most_bytes_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t bytes_ = 0;
};

}  // namespace lookalike
