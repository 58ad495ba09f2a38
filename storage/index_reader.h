#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/index_types.h"

namespace lookalike {

// An index opened for reading: sees one published state, the last one when it was opened or
// refreshed, and never waits for a writer. Used from one thread. While it stands, the writer's log
// cannot shrink, so refresh what is kept open long. Needs no right to write, neither to the file
// nor to its folder; in a folder it cannot write it takes the file as it stands, and must not be
// used while a writer elsewhere changes it.
// Throws Error(kInput) when the file is missing or is no index, Error(kStorage) when it is
// damaged, of a newer format, or a blob fails its checksum.
class IndexReader {
 public:
  explicit IndexReader(const std::filesystem::path& database);
  ~IndexReader();
  IndexReader(IndexReader&&) noexcept;

  void refresh();  // goes on to the last published state

  Settings settings() const;
  // What IndexWriter::set_derived stored last under a name.
  std::optional<std::string> derived(const std::string& name) const;
  Codebook codebook() const;  // Error(kInput) when none has been stored yet
  IndexCounts counts() const;

  // Postings of one word, removed images left out. Empty for a word without any.
  WordPostings postings(std::uint32_t word) const;
  // Norm of the histogram of each live, not blank image: sqrt of the sum of squared counts.
  std::unordered_map<ImageId, float> norms() const;

  std::optional<StoredImage> image(ImageId id) const;
  std::optional<ImageId> find(const std::string& path) const;
  std::optional<ImageId> find(const ContentHash& content) const;
  // The forward record, by word; geometry as rounded by encode_features (storage/codecs.h). Empty
  // for an image that is blank or unknown, as is the histogram.
  std::vector<IndexedFeature> features(ImageId id) const;
  SparseHistogram histogram(ImageId id) const;
  std::vector<SkippedFile> quarantine() const;           // by path
  std::vector<IndexRoot> roots() const;                  // by path
  std::vector<RunRecord> runs(std::size_t count) const;  // the last ones, newest first
  void for_each_file(const std::function<void(const std::string& path)>& visit) const;  // by path
  // By id. The visitor may use the reader, but for this function.
  void for_each_image(const std::function<void(const StoredImage&)>& visit) const;

  // A digest of what is indexed, hexadecimal: codebook, settings, and each live image's content,
  // statistics, histogram and features. It depends neither on order, ids, paths nor times.
  std::string content_hash() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lookalike
