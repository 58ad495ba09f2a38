#include "storage/index_writer.h"

#include <array>
#include <exception>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "storage/artefact_files.h"
#include "storage/blobs.h"
#include "storage/checkpointer.h"
#include "storage/encoded_image.h"
#include "storage/neighbours.h"
#include "storage/schema.h"
#include "storage/segments.h"
#include "storage/shards.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

// All tables but the runs; each comes after the tables that it refers to.
constexpr std::array<const char*, 15> kTables = {
    "settings",   "codebook",   "images", "files",    "quarantine",
    "histograms", "neighbours", "prints", "segments", "postings",
    "tombstones", "derived",    "roots",  "devices",  "withheld"};

// Attaches another index under the schema name `other`.
class Attachment {
 public:
  Attachment(Connection& connection, const std::filesystem::path& other) : connection_(connection) {
    connection.run("ATTACH ? AS other", resolved(other).native());
  }
  ~Attachment() {
    try {
      connection_.execute("DETACH other");
    } catch (const Error&) {
      // Closing the connection detaches it.
    }
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Connection& connection_;
};

// Returns "extract.octaves is "4" in the index and "5" now" for each setting that differs.
std::string differences(const Settings& stored, const Settings& given) {
  const auto quoted = [](const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? "not set" : "\"" + found->second + "\"";
  };
  std::string text;
  for (const std::string& name : differing_settings(stored, given)) {
    text += fmt::format("{}{} is {} in the index and {} now", text.empty() ? "" : "; ", name,
                        quoted(stored, name), quoted(given, name));
  }
  return text;
}

void check_words(const EncodedImage& image, std::size_t word_count) {
  if (image.words.empty() || image.words.back() < word_count) return;
  throw Error(ErrorKind::kInput,
              fmt::format("{}: has word {}, and the codebook has {} words", image.image.file.path,
                          image.words.back(), word_count));
}

// Returns the largest number that an image has had, or 0.
std::int64_t last_image_id(Connection& connection) {
  return connection
      .first<std::int64_t>(
          "SELECT max(ifnull((SELECT max(id) FROM images), 0), "
          "ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'images'), 0))")
      .value();
}

}  // namespace

IndexWriter::IndexWriter(const std::filesystem::path& database)
    : IndexReader(Shards::for_writing(database)),
      checkpointer_(std::make_unique<Checkpointer>(connection())),
      log_files_(connection().path()) {}

IndexWriter::~IndexWriter() {
  if (connection().has_lost_name()) leave_lost_file();
}

// Moves the log into the file, which may have another name now.
void IndexWriter::leave_lost_file() noexcept {
  try {
    checkpointer_->wait();
    connection().execute("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const std::exception&) {
    // The file stays as of an earlier commit.
  }
  log_files_.remove();
}

template <typename Work>
void IndexWriter::in_transaction(const Work& work) {
  Transaction transaction(connection());
  work();
  transaction.commit();
  segments_changed();
}

// Inserts an image under a number that no image has had.
void IndexWriter::insert(ImageId id, const EncodedImage& image) {
  const ImageRecord& record = image.image;
  const Page page = page_of(record.file.path);
  const std::optional<ImageId> first = page.number > 1 ? find(page.file) : std::nullopt;
  if (page.number > 1 && !first) {
    throw Error(ErrorKind::kInput, fmt::format("{}: the first page of its file is not in the index",
                                               record.file.path));
  }
  // Not put_row(), which would replace another image of the same content.
  connection().run("INSERT " + values_of_row("images"), id, record.content, record.width,
                   record.height, image.blank, image.words.size(), image.norm, image.sums.count,
                   image.sums.sum, image.sums.sum_of_squares, page.number, first);
  if (!image.blank) {
    const Bytes blob = seal_blob(image.histogram, id);
    connection().run("INSERT INTO histograms VALUES (?, ?)", id, blob);
  }
}

void IndexWriter::point(const SourceFile& file, ImageId image) {
  const std::optional<ImageId> before = image_of_file(file.path);
  put_row(connection(), "files", bytes_of(file.path), image, file.size_bytes, file.modified_ns,
          file.changed_ns, file.inode, file.links);
  leave_quarantine(file.path);
  if (before && *before != image) remove_if_unnamed(*before);
}

std::optional<ImageId> IndexWriter::image_of_file(const std::string& path) {
  return connection().first<ImageId>("SELECT image FROM files WHERE path = ?", bytes_of(path));
}

void IndexWriter::detach(const std::string& path) {
  const std::optional<ImageId> image = image_of_file(path);
  if (!image) return;  // unknown, or a page
  connection().run("DELETE FROM files WHERE path = ?", bytes_of(path));
  remove_if_unnamed(*image);
}

// Removes the pages of the file from quarantine as well.
void IndexWriter::leave_quarantine(const std::string& path) {
  std::vector<std::string> names;
  {
    const std::string end = path + ']';  // after the names of its pages, PATH[NUMBER]
    Rows rows = connection().rows("SELECT path FROM quarantine WHERE path >= ? AND path < ?",
                                  bytes_of(path), bytes_of(end));
    while (rows.next()) {
      std::string name(rows.text(0));
      if (name == path || page_of(name).file == path) names.push_back(std::move(name));
    }
  }
  for (const std::string& name : names) {
    connection().run("DELETE FROM quarantine WHERE path = ?", bytes_of(name));
  }
}

void IndexWriter::remove_if_unnamed(ImageId image) {
  if (connection().first<int>("SELECT 1 FROM files WHERE image = ? LIMIT 1", image)) return;
  for (const char* column : {"first", "id"}) {  // pages first, since they refer to the image
    connection().run(fmt::format("INSERT INTO tombstones SELECT id, feature_count, 0 FROM images "
                                 "WHERE {} = ? AND feature_count > 0",
                                 column),
                     image);
    seal_rows(connection(), "tombstones",
              fmt::format("image IN (SELECT id FROM images WHERE {} = ?)", column), image);
    connection().run(fmt::format("DELETE FROM images WHERE {} = ?", column), image);
  }
}

void IndexWriter::set_codebook(const Codebook& codebook, const Settings& settings) {
  in_transaction([&] {
    const ContentHash hash = codebook_hash(codebook);
    Rows stored_hash = connection().rows("SELECT hash FROM codebook");
    if (stored_hash.next()) {
      Settings stored = this->settings();
      Settings given = settings;
      stored["the codebook"] = to_hex(stored_hash.blob(0));
      given["the codebook"] = to_hex(hash);
      if (stored == given) return;
      throw OtherSettings(
          fmt::format("{}: was made under other settings: {}; give the settings of the index, or "
                      "rebuild it under these with `lookalike retrain`",
                      connection().path(), differences(stored, given)));
    }
    connection().run("INSERT INTO codebook VALUES (1, ?, ?, ?, ?, ?, ?, nullif(?, x''))", hash,
                     codebook.descriptor_size, codebook.size(), encode_floats(codebook.words),
                     encode_floats(codebook.projection), encode_floats(codebook.thresholds),
                     encode_cells(codebook.cells));
    for (const auto& [name, value] : settings) {
      put_row(connection(), "settings", name, value);
    }
  });
}

void IndexWriter::publish(std::span<const EncodedImage> images) {
  const std::optional<std::size_t> word_count = read_word_count(connection());
  require(word_count.has_value(), "publish: the index has no codebook yet");
  for (const EncodedImage& image : images) check_words(image, *word_count);
  in_transaction([&] {
    std::vector<ImagePostings> postings;
    std::int64_t last_id = last_image_id(connection());
    for (const EncodedImage& image : images) {
      std::optional<ImageId> id = find(image.image.content);
      if (!id) {
        if (++last_id > std::numeric_limits<ImageId>::max()) {
          throw Error(ErrorKind::kStorage, connection().path() + ": has run out of image numbers");
        }
        id = static_cast<ImageId>(last_id);
        insert(*id, image);
        postings.push_back({*id, image.words, image.signatures});
      }
      if (page_of(image.image.file.path).number == 1) point(image.image.file, *id);
    }
    write_segment(connection(), postings, *word_count);
  });
}

void IndexWriter::put_in_quarantine(std::span<const SkippedFile> files) {
  in_transaction([&] {
    for (const SkippedFile& skipped : files) leave_quarantine(skipped.file.path);
    for (const SkippedFile& skipped : files) {
      detach(skipped.file.path);
      put_row(connection(), "quarantine", bytes_of(skipped.file.path), skipped.file.size_bytes,
              skipped.file.modified_ns, skipped.file.changed_ns, skipped.file.inode, skipped.reason,
              skipped.detail);
    }
  });
}

void IndexWriter::remove_paths(std::span<const std::string> paths) {
  in_transaction([&] {
    for (const std::string& path : paths) {
      detach(path);
      leave_quarantine(path);
    }
  });
}

void IndexWriter::move_files(std::span<const MovedFile> files) {
  in_transaction([&] {
    for (const MovedFile& file : files) {
      const std::optional<ImageId> image = find(file.from);
      require(image.has_value(), "move_files: a file is not in the index");
      point(file.to, *image);
      if (file.to.path != file.from) detach(file.from);
    }
  });
}

void IndexWriter::put_roots(std::span<const IndexRoot> roots) {
  in_transaction([&] {
    for (const IndexRoot& root : roots) {
      const ByteView path = bytes_of(root.path);
      connection().run("DELETE FROM roots WHERE path = ?", path);
      put_row(connection(), "roots", path, root.scanned_ns);
      for (const FolderDevice& folder : root.devices) {
        // A folder may have been below another root before, and be a root itself now.
        put_row(connection(), "devices", bytes_of(folder.path), path, folder.device,
                folder.file_system);
      }
      for (const std::string& file : root.withheld) {
        put_row(connection(), "withheld", bytes_of(file), path);
      }
    }
  });
}

void IndexWriter::forget_roots(std::span<const std::string> roots) {
  in_transaction([&] {
    for (const std::string& root : roots) {
      connection().run("DELETE FROM roots WHERE path = ?", bytes_of(root));
    }
  });
}

void IndexWriter::merge_segments(std::size_t max_segments) {
  merge_.reset();
  segments_changed();  // before, since it may throw
  lookalike::merge_segments(connection(), max_segments);
}

void IndexWriter::merge_small_segments(std::uint64_t most_postings) {
  merge_.reset();
  segments_changed();
  lookalike::merge_small_segments(connection(), most_postings);
}

bool IndexWriter::merge_a_step(std::size_t max_segments) {
  if (!merge_) {
    std::optional<SegmentMerge> next = next_merge(connection(), max_segments);
    if (!next) return false;
    merge_ = std::make_unique<SegmentMerge>(*std::move(next));
  }
  segments_changed();
  std::unique_ptr<SegmentMerge> merge = std::move(merge_);  // given up if a step throws
  merge->step();
  if (!merge->is_done()) merge_ = std::move(merge);
  return true;
}

void IndexWriter::compact() {
  merge_.reset();
  segments_changed();
  merge_all_segments(connection());
  connection().execute("VACUUM");
  checkpointer_->wait();
  connection().execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

void IndexWriter::replace_content(const std::filesystem::path& other) {
  merge_.reset();
  const Attachment attachment(connection(), other);
  in_transaction([&] {
    for (auto table = kTables.rbegin(); table != kTables.rend(); ++table) {
      connection().execute(fmt::format("DELETE FROM main.{}", *table).c_str());
    }
    for (const char* table : kTables) {
      connection().execute(
          fmt::format("INSERT INTO main.{} SELECT * FROM other.{}", table, table).c_str());
    }
    // The triggers have added to totals that counted what was lost before.
    connection().execute(
        "UPDATE main.totals SET (row_count, checksums) = (SELECT row_count, checksums "
        "FROM other.totals AS copied WHERE copied.name = totals.name) WHERE name <> 'runs'");
  });
}

void IndexWriter::set_derived(std::string_view name, std::string_view value) {
  in_transaction([&] { put_row(connection(), "derived", name, value); });
}

void IndexWriter::put_neighbours(std::span<const ImageNeighbours> images, ImageId last,
                                 std::span<const ImagePrints> prints) {
  in_transaction([&] {
    for (const auto& [image, edges] : images) write_neighbours(connection(), image, edges);
    for (const auto& [image, edges] : prints) write_prints(connection(), image, edges);
    set_last_compared(connection(), last);
  });
}

std::int64_t IndexWriter::begin_run(std::string_view command, std::int64_t started_ns) {
  std::int64_t id = 0;
  in_transaction([&] {
    const auto killed =
        read_all(connection().rows("SELECT id FROM runs WHERE outcome = 'running' AND " +
                                   is_row_intact("runs")),
                 &RunRecord::id);
    for (const RunRecord& run : killed) {
      connection().run("UPDATE runs SET outcome = 'killed' WHERE id = ?", run.id);
      seal_rows(connection(), "runs", "id = ?", run.id);
    }
    connection().run(
        "INSERT INTO runs (command, started_ns, elapsed_seconds, outcome, document) "
        "VALUES (?, ?, 0, 'running', '')",
        command, started_ns);
    id = connection().last_insert_id();
    seal_rows(connection(), "runs", "id = ?", id);
  });
  return id;
}

void IndexWriter::end_run(const RunRecord& run) {
  in_transaction([&] {
    connection().run("UPDATE runs SET elapsed_seconds = ?, outcome = ?, document = ? WHERE id = ?",
                     run.elapsed_seconds, run.outcome, run.document, run.id);
    seal_rows(connection(), "runs", "id = ?", run.id);
  });
}

void IndexWriter::forget_run(std::int64_t id) {
  in_transaction([&] { connection().run("DELETE FROM runs WHERE id = ?", id); });
}

// Deletes while the lock is held, so that no other writer can have opened the files.
void IndexWriter::discard() {
  if (connection().has_lost_name()) return;
  const std::filesystem::path database = connection().path();
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(database.string() + ending, ignored);
  }
}

}  // namespace lookalike
