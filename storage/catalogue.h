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

// What people see of an opened index: its images, files and folders, the files in quarantine, and
// the record of runs. Paths of folders have the form of normal_path(). An IndexReader is one.
class Catalogue {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::int64_t>::max();

  explicit Catalogue(std::shared_ptr<Shards> shards);

  IndexCounts counts() const;  // a file that several databases have counts in each

  std::optional<StoredImage> image(ImageId image) const;
  // The first `count` images with ids above `image`, by id.
  std::vector<StoredImage> images_after(ImageId image, std::size_t count) const;
  // By id. The visitor may call any function of the reader.
  void for_each_image(const std::function<void(const StoredImage&)>& visit) const;
  // By the path of a file, or the name of a page (base/page_name.h).
  std::optional<ImageId> find(const std::string& path) const;
  std::optional<ImageId> find(const ContentHash& content) const;
  bool contains(const ContentHash& content) const { return find(content).has_value(); }

  std::vector<SourceFile> files() const;                  // by path
  std::vector<SourceFile> files_of(ImageId image) const;  // those that hold the image
  // Visits the indexed files by path. The visitor must not call the reader.
  void for_each_file(const std::function<void(const std::string& path)>& visit) const;
  // Indexed files and files in quarantine that are `path` or lie below it, by path. Reads only
  // those.
  std::vector<std::string> known_paths(const std::string& path) const;
  // Counts a file that several databases have in each.
  std::size_t files_below(const std::string& folder) const;
  // Visits the files directly in a folder, and the subfolders that hold files at any depth: by
  // path, beginning after `after`, a file or "folder/". Stops when the visitor, which must not call
  // the reader, returns false. Reads only what it visits.
  void for_each_entry(
      const std::string& folder, const std::string& after,
      const std::function<bool(const std::string& path, bool is_folder)>& visit) const;

  // By path; skips the first `after` files and returns at most `count`.
  std::vector<SkippedFile> quarantine(std::size_t after = 0, std::size_t count = kAll) const;
  std::vector<IndexRoot> roots() const;  // by path
  // The last `count` runs, newest first. Databases number theirs separately.
  std::vector<RunRecord> runs(std::size_t count) const;

 private:
  std::shared_ptr<Shards> shards_;
};

}  // namespace lookalike
