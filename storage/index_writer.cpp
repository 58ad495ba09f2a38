#include "storage/index_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "storage/codecs.h"
#include "storage/fingerprint.h"
#include "storage/index_tables.h"
#include "storage/open_index.h"
#include "storage/paths.h"
#include "storage/roots.h"
#include "storage/runs.h"
#include "storage/segments.h"
#include "storage/sqlite.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

// Everything but the runs; what others refer to comes first.
constexpr std::array<const char*, 15> kTables = {
    "settings",   "codebook",   "images",  "files",    "quarantine",
    "statistics", "histograms", "forward", "segments", "postings",
    "tombstones", "derived",    "roots",   "devices",  "withheld"};

class Attachment {
 public:
  Attachment(Connection& connection, const std::filesystem::path& other) : connection_(connection) {
    Statement(connection, "ATTACH ? AS other").run(std::string_view(resolved(other).native()));
  }
  ~Attachment() {
    try {
      connection_.execute("DETACH other");
    } catch (const Error&) {
      // It goes with the connection.
    }
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Connection& connection_;
};

// Makes the content of an index that of another one, which nobody writes, in one transaction:
// readers see all of the one or all of the other. The record of runs stays. Throws Error(kStorage),
// and then nothing has changed.
void replace_content(Connection& connection, const std::filesystem::path& other) {
  const Attachment attachment(connection, other);
  Transaction transaction(connection);
  for (auto table = kTables.rbegin(); table != kTables.rend(); ++table) {
    connection.execute(fmt::format("DELETE FROM main.{}", *table).c_str());
  }
  for (const char* table : kTables) {
    connection.execute(
        fmt::format("INSERT INTO main.{} SELECT * FROM other.{}", table, table).c_str());
  }
  transaction.commit();
}

// Of a histogram's counts.
double euclidean_norm(const SparseHistogram& histogram) {
  double sum = 0;
  for (const WordCount& entry : histogram) sum += std::pow(entry.count, 2);
  return std::sqrt(sum);
}

void check_features(const ImageToStore& image, std::size_t word_count) {
  const ImageWords& words = image.words;
  require(!image.blank || words.features.empty(), "publish: a blank image with features");
  for (const IndexedFeature& feature : words.features) {
    if (feature.word < word_count) continue;
    throw Error(ErrorKind::kInput, fmt::format("{}: has word {}, and the codebook has {} words",
                                               words.image.file.path, feature.word, word_count));
  }
}

}  // namespace

struct IndexWriter::Impl {
  explicit Impl(const std::filesystem::path& database)
      : lock(database), connection(open_for_writing(database)) {}

  std::size_t word_count();
  std::optional<ImageId> find_content(const ContentHash& content);
  std::optional<ImageId> find_path(const std::string& path);
  ImageId insert(const ImageToStore& image);
  void point(const SourceFile& file, ImageId image);
  void detach(const std::string& path);
  void remove_if_unnamed(ImageId image);

  WriterLock lock;
  Connection connection;
  Segments segments{connection};
  Statement select_word_count{connection, "SELECT word_count FROM codebook"};
  Statement select_content{connection, "SELECT id FROM images WHERE content = ?"};
  Statement select_path{connection, "SELECT image FROM files WHERE path = ?"};
  Statement insert_image{connection,
                         "INSERT INTO images (content, width, height, blank, feature_count, norm) "
                         "VALUES (?, ?, ?, ?, ?, ?)"};
  Statement insert_statistics{connection, "INSERT INTO statistics VALUES (?, ?, ?, ?)"};
  Statement insert_histogram{connection, "INSERT INTO histograms VALUES (?, ?)"};
  Statement insert_forward{connection, "INSERT INTO forward VALUES (?, ?)"};
  Statement replace_file{connection, "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"};
  Statement delete_file{connection, "DELETE FROM files WHERE path = ?"};
  Statement replace_quarantined{connection,
                                "INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?)"};
  Statement delete_quarantined{connection, "DELETE FROM quarantine WHERE path = ?"};
  Statement select_any_file{connection, "SELECT 1 FROM files WHERE image = ? LIMIT 1"};
  Statement insert_tombstone{connection,
                             "INSERT INTO tombstones SELECT id, feature_count FROM images "
                             "WHERE id = ? AND feature_count > 0"};
  Statement delete_image{connection, "DELETE FROM images WHERE id = ?"};
};

std::size_t IndexWriter::Impl::word_count() {
  Rows rows = select_word_count.rows();
  require(rows.next(), "publish: the index has no codebook yet");
  return static_cast<std::size_t>(rows.integer(0));
}

std::optional<ImageId> IndexWriter::Impl::find_content(const ContentHash& content) {
  Rows rows = select_content.rows(ByteView(content));
  if (!rows.next()) return std::nullopt;
  return static_cast<ImageId>(rows.integer(0));
}

std::optional<ImageId> IndexWriter::Impl::find_path(const std::string& path) {
  Rows rows = select_path.rows(bytes_of(path));
  if (!rows.next()) return std::nullopt;
  return static_cast<ImageId>(rows.integer(0));
}

ImageId IndexWriter::Impl::insert(const ImageToStore& image) {
  const ImageRecord& record = image.words.image;
  insert_image.run(ByteView(record.content), record.width, record.height, image.blank ? 1 : 0,
                   image.words.features.size(), euclidean_norm(image.words.histogram));
  const std::int64_t id = connection.last_insert_id();
  if (id > std::numeric_limits<ImageId>::max()) {
    throw Error(ErrorKind::kStorage, connection.path() + ": has run out of image numbers");
  }
  const PixelSums& sums = image.sums;
  insert_statistics.run(id, sums.count, sums.sum, sums.sum_of_squares);
  if (!image.blank) {
    const auto longer_side = static_cast<std::uint32_t>(std::max(record.width, record.height));
    insert_histogram.run(id, ByteView(encode_histogram(image.words.histogram)));
    insert_forward.run(id, ByteView(encode_features(image.words.features, longer_side)));
  }
  return static_cast<ImageId>(id);
}

void IndexWriter::Impl::point(const SourceFile& file, ImageId image) {
  const std::optional<ImageId> before = find_path(file.path);
  replace_file.run(bytes_of(file.path), image, file.size_bytes, file.modified_ns);
  delete_quarantined.run(bytes_of(file.path));
  if (before && *before != image) remove_if_unnamed(*before);
}

void IndexWriter::Impl::detach(const std::string& path) {
  const std::optional<ImageId> image = find_path(path);
  if (!image) return;
  delete_file.run(bytes_of(path));
  remove_if_unnamed(*image);
}

void IndexWriter::Impl::remove_if_unnamed(ImageId image) {
  if (Rows rows = select_any_file.rows(image); rows.next()) return;
  insert_tombstone.run(image);
  delete_image.run(image);
}

IndexWriter::IndexWriter(const std::filesystem::path& database)
    : impl_(std::make_unique<Impl>(database)) {}

IndexWriter::~IndexWriter() = default;

void IndexWriter::set_codebook(const Codebook& codebook, const Settings& settings) {
  Transaction transaction(impl_->connection);
  store_fingerprint(impl_->connection, codebook, settings);
  transaction.commit();
}

std::optional<Codebook> IndexWriter::codebook() const {
  return read_stored_codebook(impl_->connection);
}

Settings IndexWriter::settings() const {
  return read_settings(impl_->connection);
}

std::vector<SourceFile> IndexWriter::files() const {
  Statement select(impl_->connection,
                   "SELECT path, size_bytes, modified_ns FROM files ORDER BY path");
  std::vector<SourceFile> files;
  for (Rows rows = select.rows(); rows.next();) {
    files.push_back(
        {std::string(rows.text(0)), static_cast<std::uint64_t>(rows.integer(1)), rows.integer(2)});
  }
  return files;
}

std::vector<SkippedFile> IndexWriter::quarantine() const {
  return read_quarantine(impl_->connection);
}

bool IndexWriter::contains(const ContentHash& content) const {
  return impl_->find_content(content).has_value();
}

void IndexWriter::publish(std::span<const ImageToStore> images) {
  Transaction transaction(impl_->connection);
  const std::size_t word_count = impl_->word_count();
  SegmentBuilder builder;
  for (const ImageToStore& image : images) {
    check_features(image, word_count);
    const ImageRecord& record = image.words.image;
    std::optional<ImageId> id = impl_->find_content(record.content);
    if (!id) {
      id = impl_->insert(image);
      builder.add(*id, image.words.features);
    }
    impl_->point(record.file, *id);
  }
  impl_->segments.write(builder, word_count);
  transaction.commit();
}

void IndexWriter::add_path(const SourceFile& file, const ContentHash& content) {
  Transaction transaction(impl_->connection);
  const std::optional<ImageId> image = impl_->find_content(content);
  require(image.has_value(), "add_path: the content is not in the index");
  impl_->point(file, *image);
  transaction.commit();
}

void IndexWriter::put_in_quarantine(std::span<const SkippedFile> files) {
  Transaction transaction(impl_->connection);
  for (const SkippedFile& skipped : files) {
    impl_->detach(skipped.file.path);
    impl_->replace_quarantined.run(bytes_of(skipped.file.path), skipped.file.size_bytes,
                                   skipped.file.modified_ns, std::string_view(skipped.reason),
                                   std::string_view(skipped.detail));
  }
  transaction.commit();
}

void IndexWriter::remove_paths(std::span<const std::string> paths) {
  Transaction transaction(impl_->connection);
  for (const std::string& path : paths) {
    impl_->detach(path);
    impl_->delete_quarantined.run(bytes_of(path));
  }
  transaction.commit();
}

void IndexWriter::move_files(std::span<const MovedFile> files) {
  Transaction transaction(impl_->connection);
  for (const MovedFile& file : files) {
    const std::optional<ImageId> image = impl_->find_path(file.from);
    require(image.has_value(), "move_files: a file is not in the index");
    impl_->point(file.to, *image);
    if (file.to.path != file.from) impl_->detach(file.from);
  }
  transaction.commit();
}

std::vector<IndexRoot> IndexWriter::roots() const {
  return read_roots(impl_->connection);
}

void IndexWriter::put_roots(std::span<const IndexRoot> roots) {
  Transaction transaction(impl_->connection);
  for (const IndexRoot& root : roots) put_root(impl_->connection, root);
  transaction.commit();
}

void IndexWriter::forget_roots(std::span<const std::string> roots) {
  Transaction transaction(impl_->connection);
  for (const std::string& root : roots) delete_root(impl_->connection, root);
  transaction.commit();
}

void IndexWriter::merge_segments(std::size_t max_segments) {
  Transaction transaction(impl_->connection);
  impl_->segments.merge(max_segments);
  transaction.commit();
}

void IndexWriter::compact() {
  Transaction transaction(impl_->connection);
  impl_->segments.merge_everything();
  transaction.commit();
  impl_->connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

void IndexWriter::replace_content(const std::filesystem::path& other) {
  lookalike::replace_content(impl_->connection, other);
}

void IndexWriter::set_derived(std::string_view name, std::string_view value) {
  Transaction transaction(impl_->connection);
  Statement(impl_->connection, "INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)")
      .run(name, value);
  transaction.commit();
}

std::int64_t IndexWriter::begin_run(std::string_view command, std::int64_t started_ns) {
  Transaction transaction(impl_->connection);
  const std::int64_t id = lookalike::begin_run(impl_->connection, command, started_ns);
  transaction.commit();
  return id;
}

void IndexWriter::end_run(const RunRecord& run) {
  Transaction transaction(impl_->connection);
  lookalike::end_run(impl_->connection, run);
  transaction.commit();
}

// Before the lock goes, so that nobody else has begun to write what is deleted.
void IndexWriter::discard() {
  const std::filesystem::path database = impl_->connection.path();
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(database.string() + ending, ignored);
  }
}

}  // namespace lookalike
