#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/blobs.h"
#include "storage/index_types.h"

namespace lookalike {

class Connection;

// An index opened for reading: one database, or several of one codebook and the same settings,
// read as the one index that merging them would make (D42). Images have ImageNumbers; content that
// several databases have is that of the first of them, with the paths of all.
// It sees one published state of each database, the last one when it was opened, and never waits
// for a writer; an IndexWriter, which is a reader as well, sees what it has written so far. A
// reader, but not a writer, may be used from several threads: they read and decode side by side,
// over a connection per core, 16 at most, all of which see the same state. While a reader is open,
// the writer's log may be unable to shrink (see IndexWatch), so do not keep one for long. Needs no
// right to write, neither to the file nor to its folder; in a folder that it cannot write it reads
// the file as it stands, and must not be used while a writer elsewhere changes it. Throws
// Error(kInput) if the file is missing or is no index, Error(kStorage) if it is damaged, of a newer
// format, or a blob fails its checksum.
class IndexReader {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::int64_t>::max();

  explicit IndexReader(const std::filesystem::path& database);
  // Throws Error(kUsage) as well, for databases that differ in settings, or are the same file.
  explicit IndexReader(const std::vector<std::filesystem::path>& databases);
  ~IndexReader();
  IndexReader(IndexReader&&) noexcept;

  Settings settings() const;
  // What IndexWriter::set_derived stored last under a name, in the first database.
  std::optional<std::string> derived(const std::string& name) const;
  Codebook codebook() const;                        // throws Error(kInput) if there is none yet
  std::optional<Codebook> stored_codebook() const;  // nothing if there is none yet
  IndexCounts counts() const;  // a file that several databases have counts in each

  // The posting lists of one word, one for each segment that has it, in no order. They lie in
  // memory that is the visitor's until it returns, and hold postings of removed images as well. The
  // visitor calls no function of the reader.
  void for_each_list(std::uint32_t word,
                     const std::function<void(const EncodedPostings&)>& visit) const;
  // By image: whether its postings do not count, since it was removed, or is a copy of an image in
  // an earlier database. Ends with the last such image, so it is empty when there is none.
  const std::vector<bool>& removed() const;
  // By image: the norm of the histogram of a live image that is not blank, sqrt of the sum of
  // squared counts; kNoNorm elsewhere. Ends with the last such image.
  static constexpr float kNoNorm = -1;
  std::vector<float> norms() const;

  // The live images that are not blank, by content.
  std::vector<ImageId> images_by_content() const;
  std::optional<StoredImage> image(ImageId id) const;
  ContentHash content(ImageId id) const;  // of an image that is there
  // The first `count` images whose ids are above `id`, by id.
  std::vector<StoredImage> images_after(ImageId id, std::size_t count) const;
  // By the path of a file, or the name of a page (base/page_name.h).
  std::optional<ImageId> find(const std::string& path) const;
  std::optional<ImageId> find(const ContentHash& content) const;
  bool contains(const ContentHash& content) const { return find(content).has_value(); }
  // The forward record, by word; geometry as rounded by encode_features (storage/blobs.h). Empty
  // for an image that is blank or unknown, as is the histogram.
  std::vector<IndexedFeature> features(ImageId id) const;
  SparseHistogram histogram(ImageId id) const;
  std::vector<SourceFile> files() const;               // indexed files, by path
  std::vector<SourceFile> files_of(ImageId id) const;  // those that hold the image
  // Files and files in quarantine that are `path` or lie below it, by path. It is in the form of
  // normal_path(). Reads those alone.
  std::vector<std::string> known_paths(const std::string& path) const;
  // In the form of normal_path(); a file that several databases have counts in each.
  std::size_t files_below(const std::string& folder) const;
  // Files right in a folder, and folders right below it that hold files at any depth: by path,
  // those after `after` alone, a file or "folder/". The folder is in the form of normal_path().
  // Stops when the visitor, which must not call the reader, returns false. Reads what it visits.
  void for_each_entry(
      const std::string& folder, const std::string& after,
      const std::function<bool(const std::string& path, bool is_folder)>& visit) const;
  // By path; without the first `after`, and at most `count`.
  std::vector<SkippedFile> quarantine(std::size_t after = 0, std::size_t count = kAll) const;
  std::vector<IndexRoot> roots() const;  // by path
  // The last ones, newest first; databases number theirs apart.
  std::vector<RunRecord> runs(std::size_t count) const;
  // By path. The visitor calls no function of the reader.
  void for_each_file(const std::function<void(const std::string& path)>& visit) const;
  // By id. The visitor may call any function of the reader.
  void for_each_image(const std::function<void(const StoredImage&)>& visit) const;

  // A digest of what is indexed, hexadecimal: codebook, settings, and each live image's content,
  // statistics, histogram and features. It does not depend on order, ids, paths or times.
  std::string content_hash() const;

 protected:
  struct ForWriting {};
  // Creates or migrates the database and holds its WriterLock.
  IndexReader(const std::filesystem::path& database, ForWriting);
  Connection& connection() const;
  void segments_changed();  // by a write over the connection

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The names of settings that only one of the two has, or with other values, in order.
std::vector<std::string> differing_settings(const Settings& one, const Settings& other);

// For code that reads an index without an IndexReader.
Settings read_settings(Connection& connection);
std::optional<Codebook> read_stored_codebook(Connection& connection);

}  // namespace lookalike
