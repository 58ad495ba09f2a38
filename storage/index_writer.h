#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/index_reader.h"
#include "storage/index_types.h"

namespace lookalike {

class Checkpointer;

// The one writer of an index, which also reads it. Every public call that writes, except for those
// that merge, is one transaction: when it returns, readers see all of it; when it throws, none.
// Throws Error(kStorage) when SQLite fails (disk full, read-only, locked by another writer: the
// message says which), Error(kInput) for a file that is no index. Holds DATABASE.lock while it
// lives: a second writer is refused with Error(kStorage) that names the first. A path is either
// indexed or in quarantine; setting one ends the other.
class IndexWriter : public IndexReader {
 public:
  // Creates a missing database and migrates an older one.
  explicit IndexWriter(const std::filesystem::path& database);
  ~IndexWriter();

  // Stores the codebook and the settings of an index that has none yet. On an index that has
  // them: returns when they are the same, else throws OtherSettings, naming each difference.
  void set_codebook(const Codebook& codebook, const Settings& settings);

  // Publishes images as one segment, whose blobs are encoded on all cores. A path that pointed
  // elsewhere now points here; an image that no path points to any more is removed, with its
  // further pages; content already present only gains the path. A page by its name
  // (base/page_name.h) comes after the first page of its file, and stays as long as that. Throws
  // Error(kInput) for a word beyond the codebook, Error(kInternal) without a codebook.
  void publish(std::span<const ImageToStore> images);
  void put_in_quarantine(std::span<const SkippedFile> files);
  void remove_paths(std::span<const std::string> paths);  // unknown ones are passed over
  // Gives indexed files other paths, sizes and times; each keeps its image. A path that is indexed
  // already is replaced. Throws Error(kInternal) when a file is not indexed.
  void move_files(std::span<const MovedFile> files);

  // Adds roots, or replaces what is known of them. What is withheld must be indexed; it is no
  // longer withheld once it is removed or indexed anew.
  void put_roots(std::span<const IndexRoot> roots);
  void forget_roots(std::span<const std::string> roots);  // their files stay

  // Merges the smallest segments until at most max_segments >= 1 are left, in tiers, so that it
  // may be called after every publish; drops removed images' postings from what it merges. When
  // they are a quarter of all, merges everything. This and the next two work in several
  // transactions, none of which changes what readers find: when they throw, some may be done.
  void merge_segments(std::size_t max_segments);
  // At the end of a run: merges until each segment has more than four times the postings of all
  // smaller ones together, so that queries look in few.
  void merge_small_segments();
  // Merges everything, drops what was removed, and returns the space to the file system. Needs
  // room for two copies meanwhile, one in the log and one in the folder for temporary files.
  void compact();
  // Replaces everything but the record of runs by the content of another index, codebook and
  // settings included. The other index must have no writer.
  void replace_content(const std::filesystem::path& other);

  // Stores a value derived from the whole content, under a name; it is no part of the content.
  void set_derived(std::string_view name, std::string_view value);

  // Records a run as "running" and returns its id. Earlier runs that never ended are marked
  // "killed", since there is one writer.
  std::int64_t begin_run(std::string_view command, std::int64_t started_ns);
  // Sets elapsed_seconds, outcome and document of the run with this id.
  void end_run(const RunRecord& run);

  // Deletes the database and the files beside it, of an index that came to hold nothing. Call
  // nothing afterwards.
  void discard();

 private:
  template <typename Work>
  void in_transaction(const Work& work);
  struct Blobs;
  ImageId insert(const ImageToStore& image, const Blobs& blobs);
  void point(const SourceFile& file, ImageId image);
  void detach(const std::string& path);
  void leave_quarantine(const std::string& path);
  // By a file's path alone; nothing for the name of a page.
  std::optional<ImageId> image_of_file(const std::string& path);
  void remove_if_unnamed(ImageId image);

  const std::unique_ptr<Checkpointer> checkpointer_;
};

}  // namespace lookalike
