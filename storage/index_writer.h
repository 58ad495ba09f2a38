#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// The one writer of an index. Every public call is one transaction: when it returns, readers see
// all of it; when it throws, none. Throws Error(kStorage) when SQLite fails (disk full, read-only,
// locked by another writer: the message says which), Error(kInput) for a file that is no index.
class IndexWriter {
 public:
  // Opens the database or makes it, and brings an older schema up to date.
  explicit IndexWriter(const std::filesystem::path& database);
  ~IndexWriter();

  // Stores the codebook and the settings of an index that has none yet. On an index that has
  // them: returns when they are the same, else throws Error(kUsage) naming each difference.
  void set_codebook(const Codebook& codebook, const Settings& settings);
  std::optional<Codebook> codebook() const;
  Settings settings() const;

  // What the index knows of the file system: files that are indexed, and files set aside.
  std::vector<SourceFile> files() const;
  std::vector<SkippedFile> skipped() const;
  bool contains(const ContentHash& content) const;

  // Publishes images as one segment. A path that pointed elsewhere now points here; an image that
  // no path points to any more is removed; content already present only gains the path.
  void publish(std::span<const ImageToStore> images);
  // Lets the file point at content that is already indexed: no features needed.
  void add_path(const SourceFile& file, const ContentHash& content);
  void set_skipped(std::span<const SkippedFile> files);
  void remove_paths(std::span<const std::string> paths);

  // Merges the smallest segments until at most max_segments are left, and drops removed images'
  // postings from what it merges.
  void merge_segments(std::size_t max_segments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
