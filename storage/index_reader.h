#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/catalogue.h"
#include "storage/inverted_index.h"

namespace lookalike {

// An index opened for reading: one database, or several with the same codebook and settings, read
// as the single index that merging them would give (D42), with images numbered as in ImageNumbers.
// Content in several databases belongs to the first of them, with the paths of all. Both parts of
// the index, InvertedIndex and Catalogue, read over the same connections.
//
// A reader sees the last published state at the time it was opened, and never waits for a writer.
// It is thread-safe: threads read over four connections per core, at most 16 in all or two to each
// database, which see the same state. An IndexWriter, which is a reader too, sees what it has
// written, and is not thread-safe.
//
// Keep no reader open for long: the writer's log may be unable to shrink meanwhile (IndexWatch).
// Reading needs no write permission. In a folder that cannot be written the file is read as it
// stands, and must not be changed meanwhile.
//
// Throws Error(kInput) if a file is missing or no index, Error(kStorage) if it is damaged, has
// another version, or a blob fails its checksum.
class IndexReader : public InvertedIndex, public Catalogue {
 public:
  explicit IndexReader(const std::filesystem::path& database);
  // Also throws Error(kUsage) for databases that differ in settings, or are the same file.
  explicit IndexReader(const std::vector<std::filesystem::path>& databases);
  IndexReader(IndexReader&&) noexcept = default;

  // Returns the number of connections to each database, each for one thread at a time.
  std::size_t connections() const;
  // Returns the value that IndexWriter::set_derived() stored under a name in the first database.
  std::optional<std::string> derived(const std::string& name) const;
  // Returns a hexadecimal digest of codebook, settings, and each live image's content, statistics,
  // histogram, geometry and signatures. Independent of order, ids, paths and times.
  std::string content_hash() const;

 protected:
  explicit IndexReader(const std::shared_ptr<Shards>& shards);
  Connection& connection() const;
  void segments_changed();  // call after a write over the connection

 private:
  std::shared_ptr<Shards> shards_;
};

}  // namespace lookalike
