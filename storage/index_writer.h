#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/index_reader.h"
#include "storage/index_types.h"
#include "storage/log_files.h"

namespace lookalike {

class Checkpointer;
class SegmentMerge;
struct EncodedImage;

// The single writer of an index, which also reads it. Each call that writes, except for merges, is
// one transaction: readers see all of it once it returns, nothing if it throws. Holds
// DATABASE.lock; a second writer is refused with Error(kStorage), which names the first. Throws
// Error(kStorage) with the cause when SQLite fails, Error(kInput) for a file that is no index.
//
// A path is either indexed or in quarantine; setting one ends the other.
//
// If the database is moved, removed or replaced meanwhile, the next call that writes throws
// Error(kStorage), and the destructor completes the old file and removes its log, so that nothing
// is written into the file that has the name now.
class IndexWriter : public IndexReader {
 public:
  // Creates a missing database.
  explicit IndexWriter(const std::filesystem::path& database);
  ~IndexWriter();

  // Stores the codebook and settings of a new index. On an index that has them, returns if they are
  // the same, else throws OtherSettings, which names each difference.
  void set_codebook(const Codebook& codebook, const Settings& settings);

  // Publishes images as one segment. Content already present only gains the path. A path that
  // pointed to another image now points to this one; an image without paths is removed with its
  // further pages. A further page, by its name (base/page_name.h), must follow the first page of
  // its file, and is removed with it. Throws Error(kInput) for a word beyond the codebook,
  // Error(kInternal) without a codebook.
  void publish(std::span<const EncodedImage> images);
  void put_in_quarantine(std::span<const SkippedFile> files);
  void remove_paths(std::span<const std::string> paths);  // ignores unknown ones
  // Changes the paths, sizes and times of indexed files, which keep their images. Replaces a path
  // that is already indexed. Throws Error(kInternal) when a file is not indexed.
  void move_files(std::span<const MovedFile> files);

  // Adds or replaces roots. Withheld files must be indexed; removing them or indexing them again
  // ends that.
  void put_roots(std::span<const IndexRoot> roots);
  void forget_roots(std::span<const std::string> roots);  // their files stay

  // As the functions of storage/segments.h: call the first after each publish, the second at the
  // end of a run. These and compact() work in several transactions, which do not change what
  // readers find; some may be complete when they throw.
  void merge_segments(std::size_t max_segments);
  void merge_small_segments(std::uint64_t most_postings);
  // Makes the next transaction of a merge to max_segments, for a moment with nothing else to write.
  // Returns false if nothing is to be merged. The functions above begin merges of their own.
  bool merge_a_step(std::size_t max_segments);
  // Merges everything and returns unused space to the file system. Needs room for two copies, one
  // in the log and one in the folder for temporary files.
  void compact();
  // Replaces everything but the record of runs with the content of another index, codebook and
  // settings included. The other index must have no writer.
  void replace_content(const std::filesystem::path& other);

  // Stores a value derived from the whole content; not part of the content.
  void set_derived(std::string_view name, std::string_view value);

  // Stores the edges of images, to neighbours and to prints, in place of earlier ones. `last`: the
  // last image that InvertedIndex::images_to_compare() no longer returns.
  void put_neighbours(std::span<const ImageNeighbours> images, ImageId last,
                      std::span<const ImagePrints> prints = {});

  // Records a run as "running" and returns its id. Marks earlier runs that never ended "killed".
  std::int64_t begin_run(std::string_view command, std::int64_t started_ns);
  // Sets elapsed_seconds, outcome and document of the run with this id.
  void end_run(const RunRecord& run);
  // Removes the record of a run.
  void forget_run(std::int64_t id);

  // Deletes the database and the files beside it, unless the name is another file's by now. Call
  // nothing afterwards.
  void discard();

 private:
  template <typename Work>
  void in_transaction(const Work& work);
  void insert(ImageId id, const EncodedImage& image);
  void point(const SourceFile& file, ImageId image);
  void detach(const std::string& path);
  void leave_quarantine(const std::string& path);
  // Finds files, but no pages.
  std::optional<ImageId> image_of_file(const std::string& path);
  void remove_if_unnamed(ImageId image);

  void leave_lost_file() noexcept;

  std::unique_ptr<SegmentMerge> merge_;  // begun by merge_a_step()
  const std::unique_ptr<Checkpointer> checkpointer_;
  const LogFiles log_files_;
};

}  // namespace lookalike
