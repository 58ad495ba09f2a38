#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "base/content_hash.h"
#include "base/source_file.h"
#include "storage/index_reader.h"

namespace lookalike {

// A local time as a number with the digits of date and time: 20190714123005. Ordered as the times.
using LocalTime = std::int64_t;

// When a picture was made.
struct PhotoDate {
  LocalTime time = 0;
  bool is_taken = false;  // false: the file does not say it, and this is its time of modification
};

// When the pictures of an index were taken, as their files say. The index does not hold these
// dates, so each file is read once, at its start, and the dates are kept in a file of their own,
// which appears whole or not at all. Failing to read or write that file costs time only. Files
// beside it that were not used for 100 days are removed. Thread-safe.
class PhotoDates {
 public:
  // file: need not exist; empty: the dates are kept in memory alone.
  explicit PhotoDates(std::filesystem::path file) : file_(std::move(file)) {}
  ~PhotoDates() { save(); }
  PhotoDates(const PhotoDates&) = delete;
  PhotoDates& operator=(const PhotoDates&) = delete;

  // Reads the files that were not read yet, for `budget` at most. Returns the number of those that
  // are left for the next call. A file that cannot be read is not asked again for ten minutes.
  // Throws Overdue.
  //   files  with the times of modification as indexed
  std::size_t read_all(std::span<const SourceFile> files, std::chrono::milliseconds budget);

  // Drops the dates of files that the index lacks, once there are many. Throws Overdue.
  //   files  in the index
  void drop_gone(const IndexReader& index, std::size_t files);

  // Reads a file if it was not read yet. Throws Overdue.
  //   modified_ns  as indexed; a file that has changed since says nothing
  PhotoDate read(const std::string& path, std::int64_t modified_ns);

  // Returns the date of a file as far as it was read.
  PhotoDate of(const std::string& path, std::int64_t modified_ns) const;

 private:
  using Times = std::unordered_map<ContentHash, LocalTime, ContentHasher>;

  // Both need the lock.
  void load();
  void save() noexcept;

  bool is_unread(const ContentHash& key) const;  // needs the lock
  // Reads a file, without the lock.
  void add(const std::string& path, std::int64_t modified_ns);

  const std::filesystem::path file_;
  std::mutex reading_;        // held by read_all(), so that two of them do not read the same files
  mutable std::mutex mutex_;  // guards what follows
  Times taken_;               // by path and time of modification; 0: the file does not say it
  // When a file could not be read.
  std::unordered_map<ContentHash, std::chrono::steady_clock::time_point, ContentHasher> failed_;
  bool is_loaded_ = false;
  bool is_saved_ = true;
};

// Returns a local time as in JSON: "2019-07-14T12:30:05".
std::string text_of(LocalTime time);

}  // namespace lookalike
