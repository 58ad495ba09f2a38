#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

class Shards;

// The part of an opened index that people see: images, files, folders, quarantine and runs. Folders
// have the form of normal_path(). An IndexReader is one.
class Catalogue {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::int64_t>::max();

  explicit Catalogue(std::shared_ptr<Shards> shards);

  IndexCounts counts() const;  // counts a file once for each database that has it

  std::optional<StoredImage> image(ImageId image) const;
  // Returns an image that other rows name. Throws Error(kStorage) if it is lost.
  StoredImage existing_image(ImageId image) const;
  // Returns the first `count` images with ids above `image`, by id.
  std::vector<StoredImage> images_after(ImageId image, std::size_t count) const;
  // Visits the images by id. The visitor may call any function of the reader.
  void for_each_image(const std::function<void(const StoredImage&)>& visit) const;
  // Finds an image by the path of a file, the name of a page (base/page_name.h) or its own name.
  std::optional<ImageId> find(const std::string& path) const;
  std::optional<ImageId> find(const ContentHash& content) const;
  bool contains(const ContentHash& content) const { return find(content).has_value(); }

  std::vector<SourceFile> files() const;                  // by path
  std::vector<SourceFile> files_of(ImageId image) const;  // by path
  // Visits the indexed files by path, with their times of modification. The visitor must not call
  // the reader.
  void for_each_file(
      const std::function<void(const std::string& path, std::int64_t modified_ns)>& visit) const;
  // Returns the indexed and quarantined files at or below a path, which has the form of
  // normal_path(), by path. Reads only these.
  std::vector<std::string> known_paths(const std::string& path) const;
  // Counts a file once for each database that has it.
  std::size_t files_below(const std::string& folder) const;
  // Visits the files directly in a folder and its subfolders that hold files at any depth, by path,
  // beginning after `after` (a file, or "folder/"), until the visitor returns false. The visitor
  // must not call the reader. Reads only what it visits.
  void for_each_entry(
      const std::string& folder, const std::string& after,
      const std::function<bool(const std::string& path, bool is_folder)>& visit) const;

  // Returns files by path: skips the first `after`, and returns at most `count`.
  std::vector<SkippedFile> quarantine(std::size_t after = 0, std::size_t count = kAll) const;
  std::vector<IndexRoot> roots() const;  // by path
  // Returns the last `count` runs, newest first. Each database numbers its own. A run that never
  // ended is "killed" unless a process is writing the database. Throws Error(kStorage) if it cannot
  // be read.
  std::vector<RunRecord> runs(std::size_t count) const;

 private:
  std::shared_ptr<Shards> shards_;
};

}  // namespace lookalike
