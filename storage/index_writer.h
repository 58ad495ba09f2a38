#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// The one writer of an index. Every public call is one transaction: when it returns, readers see
// all of it; when it throws, none. Throws Error(kStorage) when SQLite fails (disk full, read-only,
// locked by another writer: the message says which), Error(kInput) for a file that is no index.
// Holds DATABASE.lock while it lives: a second writer is refused with Error(kStorage) that names
// the first. A path is either indexed or in quarantine; setting one ends the other.
class IndexWriter {
 public:
  // Opens the database or makes it, and brings an older schema up to date.
  explicit IndexWriter(const std::filesystem::path& database);
  ~IndexWriter();

  // Stores the codebook and the settings of an index that has none yet. On an index that has
  // them: returns when they are the same, else throws OtherSettings, naming each difference.
  void set_codebook(const Codebook& codebook, const Settings& settings);
  std::optional<Codebook> codebook() const;
  Settings settings() const;

  // What the index knows of the file system: files that are indexed, and those set aside.
  std::vector<SourceFile> files() const;
  std::vector<SkippedFile> quarantine() const;
  bool contains(const ContentHash& content) const;

  // Publishes images as one segment. A path that pointed elsewhere now points here; an image that
  // no path points to any more is removed; content already present only gains the path.
  // Throws Error(kInput) for a word beyond the codebook, Error(kInternal) without a codebook.
  void publish(std::span<const ImageToStore> images);
  // Lets the file point at content that is already indexed: no features needed. Throws
  // Error(kInternal) when it is not.
  void add_path(const SourceFile& file, const ContentHash& content);
  void put_in_quarantine(std::span<const SkippedFile> files);
  void remove_paths(std::span<const std::string> paths);  // unknown ones are passed over
  // Gives indexed files other paths, sizes and times; each keeps its image. A path that is indexed
  // already is replaced. Throws Error(kInternal) when a file is not indexed.
  void move_files(std::span<const MovedFile> files);

  // The folders that the index is of, by path.
  std::vector<IndexRoot> roots() const;
  // Adds them, or replaces what is known of them. What is withheld must be indexed, and is withheld
  // no more once it is removed or indexed anew.
  void put_roots(std::span<const IndexRoot> roots);
  void forget_roots(std::span<const std::string> roots);  // their files stay

  // Merges the smallest segments until at most max_segments >= 1 are left, in tiers, so that it
  // may be called after every publish; drops removed images' postings from what it merges. When
  // they are a quarter of all, merges everything.
  void merge_segments(std::size_t max_segments);
  // Merges everything, drops what was removed, and returns the space to the file system. Needs
  // room for a second copy meanwhile. The one call that is two transactions: when it throws, either
  // may be done.
  void compact();
  // Takes over the content of another index, codebook and settings included, that nobody writes.
  void replace_content(const std::filesystem::path& other);

  // Stores what was worked out of the content as a whole, under a name; no part of the content.
  void set_derived(std::string_view name, std::string_view value);

  // Remembers a run: begin_run() says that it is "running" and returns its id, and takes earlier
  // ones that never ended for killed. end_run() fills in the rest, by id.
  std::int64_t begin_run(std::string_view command, std::int64_t started_ns);
  void end_run(const RunRecord& run);

  // Deletes the database and the files beside it, for one that was made in vain. Nothing else may
  // be called afterwards.
  void discard();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
