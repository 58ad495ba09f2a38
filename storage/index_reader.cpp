#include "storage/index_reader.h"

#include <algorithm>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "storage/codecs.h"
#include "storage/schema.h"
#include "storage/segments.h"
#include "storage/sqlite.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

// Length first, so that no two rows of fields read the same.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

// Columns: id, blank, histogram, features, then what is taken as it is.
ContentHash image_digest(const Connection& connection, const Rows& rows) {
  const bool blank = rows.integer(1) != 0;
  if (!blank) {
    decode_named(connection, "histogram of image", rows.integer(0),
                 [&] { check_blob(rows.blob(2)); });
    decode_named(connection, "forward record of image", rows.integer(0),
                 [&] { check_blob(rows.blob(3)); });
  }
  ByteWriter out;
  out.put<std::uint8_t>(blank ? 1 : 0);
  put_blob(out, rows.blob(2));
  put_blob(out, rows.blob(3));
  put_blob(out, rows.blob(4));
  for (int column = 5; column < 10; ++column) out.put<std::int64_t>(rows.integer(column));
  return hash_content(out.view());
}

std::vector<ContentHash> image_digests(const Connection& connection) {
  Statement select(connection,
                   "SELECT id, blank, histograms.data, forward.data, content, width, height, "
                   "pixel_count, pixel_sum, pixel_sum_of_squares "
                   "FROM images JOIN statistics ON statistics.image = id "
                   "LEFT JOIN histograms ON histograms.image = id "
                   "LEFT JOIN forward ON forward.image = id ORDER BY id");
  std::vector<ContentHash> digests;
  for (Rows rows = select.rows(); rows.next();) digests.push_back(image_digest(connection, rows));
  std::sort(digests.begin(), digests.end());
  return digests;
}

// XXH3-128 over the codebook's hash, the settings by name, and the sorted digests of the live
// images: what is indexed, whatever its order, numbers, paths, times and segments. Throws
// Error(kStorage) for a record that is damaged.
ContentHash index_content_hash(const Connection& connection) {
  ByteWriter out;
  Statement select(connection, "SELECT hash FROM codebook");
  for (Rows rows = select.rows(); rows.next();) put_blob(out, rows.blob(0));
  const Settings settings = read_settings(connection);
  out.put_count(settings.size());
  for (const auto& [name, value] : settings) {
    out.put_text(name);
    out.put_text(value);
  }
  for (const ContentHash& digest : image_digests(connection)) {
    out.put_array(digest.data(), digest.size());
  }
  return hash_content(out.view());
}

constexpr const char* kSelectImages =
    "SELECT id, content, width, height, blank, feature_count, pixel_count, pixel_sum, "
    "pixel_sum_of_squares FROM images JOIN statistics ON image = id ";

}  // namespace

struct IndexReader::Impl {
  explicit Impl(const std::filesystem::path& file)
      : database(file), connection(open_for_reading(file)) {
    connection.execute("PRAGMA cache_size = -16384");
    begin();
  }
  Impl(const std::filesystem::path& file, ForWriting)
      : database(file), lock(std::in_place, file), connection(open_for_writing(file)) {}

  void begin();
  void load_segments();
  void drop_removed(WordPostings& postings, std::size_t first) const;
  StoredImage image_in(const Rows& rows);

  std::filesystem::path database;
  std::optional<WriterLock> lock{};  // outlives the connection
  Connection connection;
  bool is_loaded = false;  // whether the next two are up to date
  std::vector<std::int64_t> segments{};
  std::vector<bool> removed{};  // by image
  Statement select_segments{connection, "SELECT id FROM segments ORDER BY id"};
  Statement select_tombstones{connection, "SELECT image FROM tombstones ORDER BY image DESC"};
  Statement select_postings{connection, "SELECT data FROM postings WHERE id = ?"};
  Statement select_image{connection, std::string(kSelectImages) + "WHERE id = ?"};
  Statement select_images{connection, std::string(kSelectImages) + "ORDER BY id"};
  Statement select_norms{connection, "SELECT id, norm FROM images WHERE blank = 0"};
  Statement select_paths{connection, "SELECT path FROM files WHERE image = ? ORDER BY path"};
  Statement select_by_content{connection, "SELECT id FROM images WHERE content = ?"};
  Statement select_by_path{connection, "SELECT image FROM files WHERE path = ?"};
  Statement select_forward{connection, "SELECT data FROM forward WHERE image = ?"};
  Statement select_histogram{connection, "SELECT data FROM histograms WHERE image = ?"};
};

// From here on all reads are of one published state, which the first of them chooses.
void IndexReader::Impl::begin() {
  connection.execute("BEGIN");
  load_segments();
}

void IndexReader::Impl::load_segments() {
  segments.clear();
  for (Rows rows = select_segments.rows(); rows.next();) segments.push_back(rows.integer(0));
  removed.clear();
  for (Rows rows = select_tombstones.rows(); rows.next();) {
    const auto image = static_cast<std::size_t>(rows.integer(0));
    if (removed.size() <= image) removed.resize(image + 1);
    removed[image] = true;
  }
  is_loaded = true;
}

void IndexReader::Impl::drop_removed(WordPostings& postings, std::size_t first) const {
  if (removed.empty()) return;
  std::size_t left = first;
  for (std::size_t i = first; i < postings.images.size(); ++i) {
    const ImageId image = postings.images[i];
    if (image < removed.size() && removed[image]) continue;
    postings.images[left] = image;
    postings.signatures[left++] = postings.signatures[i];
  }
  postings.images.resize(left);
  postings.signatures.resize(left);
}

StoredImage IndexReader::Impl::image_in(const Rows& rows) {
  StoredImage image;
  rows.read(image.id, image.content, image.width, image.height, image.blank, image.feature_count,
            image.sums.count, image.sums.sum, image.sums.sum_of_squares);
  for (Rows paths = select_paths.rows(image.id); paths.next();) {
    image.paths.emplace_back(paths.text(0));
  }
  return image;
}

IndexReader::IndexReader(const std::filesystem::path& database)
    : impl_(std::make_unique<Impl>(database)) {}

IndexReader::IndexReader(const std::filesystem::path& database, ForWriting for_writing)
    : impl_(std::make_unique<Impl>(database, for_writing)) {}

IndexReader::~IndexReader() = default;
IndexReader::IndexReader(IndexReader&&) noexcept = default;

Connection& IndexReader::connection() const {
  return impl_->connection;
}

void IndexReader::refresh() {
  switch (impl_->connection.mode()) {
    case Connection::Mode::kRead:
      impl_->connection.execute("COMMIT");
      impl_->begin();
      break;
    case Connection::Mode::kImmutable:
      impl_ = std::make_unique<Impl>(impl_->database);
      break;
    case Connection::Mode::kWrite:  // sees what it has written
      impl_->is_loaded = false;
  }
}

Settings IndexReader::settings() const {
  return read_settings(impl_->connection);
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return Statement(impl_->connection, "SELECT value FROM derived WHERE name = ?")
      .first<std::string>(name);
}

std::optional<Codebook> IndexReader::stored_codebook() const {
  return read_stored_codebook(impl_->connection);
}

Codebook IndexReader::codebook() const {
  if (std::optional<Codebook> codebook = stored_codebook()) return std::move(*codebook);
  throw Error(ErrorKind::kInput, impl_->connection.path() +
                                     ": holds no images yet: run `lookalike index --images DIR`");
}

IndexCounts IndexReader::counts() const {
  Statement select(impl_->connection,
                   "SELECT count(*), sum(blank), sum(feature_count), "
                   "(SELECT count(*) FROM files), (SELECT count(*) FROM quarantine), "
                   "(SELECT sum(word_count) FROM codebook), "
                   "(SELECT sum(posting_count) FROM segments), "
                   "(SELECT count(*) FROM segments), (SELECT count(*) FROM withheld) FROM images");
  Rows rows = select.rows();
  rows.next();
  IndexCounts counts;
  rows.read(counts.images, counts.blank, counts.features, counts.files, counts.quarantined,
            counts.words, counts.postings, counts.segments, counts.withheld);
  return counts;
}

WordPostings IndexReader::postings(std::uint32_t word) const {
  if (!impl_->is_loaded) impl_->load_segments();
  WordPostings postings;
  for (const std::int64_t segment : impl_->segments) {
    Rows rows = impl_->select_postings.rows(postings_id(segment, word));
    if (!rows.next()) continue;
    const std::size_t first = postings.images.size();
    decode_named(impl_->connection, "postings of word", word,
                 [&] { decode_postings(rows.blob(0), postings); });
    impl_->drop_removed(postings, first);
  }
  return postings;
}

std::unordered_map<ImageId, float> IndexReader::norms() const {
  std::unordered_map<ImageId, float> norms;
  for (Rows rows = impl_->select_norms.rows(); rows.next();) {
    norms.emplace(static_cast<ImageId>(rows.integer(0)), static_cast<float>(rows.real(1)));
  }
  return norms;
}

std::optional<StoredImage> IndexReader::image(ImageId id) const {
  Rows rows = impl_->select_image.rows(id);
  if (!rows.next()) return std::nullopt;
  return impl_->image_in(rows);
}

std::optional<ImageId> IndexReader::find(const std::string& path) const {
  return impl_->select_by_path.first<ImageId>(bytes_of(path));
}

std::optional<ImageId> IndexReader::find(const ContentHash& content) const {
  return impl_->select_by_content.first<ImageId>(content);
}

std::vector<IndexedFeature> IndexReader::features(ImageId id) const {
  Rows rows = impl_->select_forward.rows(id);
  if (!rows.next()) return {};
  return decode_named(impl_->connection, "forward record of image", id,
                      [&] { return decode_features(rows.blob(0)); });
}

SparseHistogram IndexReader::histogram(ImageId id) const {
  Rows rows = impl_->select_histogram.rows(id);
  if (!rows.next()) return {};
  return decode_named(impl_->connection, "histogram of image", id,
                      [&] { return decode_histogram(rows.blob(0)); });
}

std::vector<SourceFile> IndexReader::files() const {
  Statement select(impl_->connection,
                   "SELECT path, size_bytes, modified_ns FROM files ORDER BY path");
  std::vector<SourceFile> files;
  for (Rows rows = select.rows(); rows.next();) {
    SourceFile& file = files.emplace_back();
    rows.read(file.path, file.size_bytes, file.modified_ns);
  }
  return files;
}

std::vector<SkippedFile> IndexReader::quarantine() const {
  Statement select(
      impl_->connection,
      "SELECT path, size_bytes, modified_ns, reason, detail FROM quarantine ORDER BY path");
  std::vector<SkippedFile> files;
  for (Rows rows = select.rows(); rows.next();) {
    SkippedFile& skipped = files.emplace_back();
    rows.read(skipped.file.path, skipped.file.size_bytes, skipped.file.modified_ns, skipped.reason,
              skipped.detail);
  }
  return files;
}

std::vector<IndexRoot> IndexReader::roots() const {
  Statement select(impl_->connection, "SELECT path, scanned_ns FROM roots ORDER BY path");
  Statement select_devices(
      impl_->connection,
      "SELECT path, device, file_system FROM devices WHERE root = ? ORDER BY path");
  Statement select_withheld(impl_->connection,
                            "SELECT path FROM withheld WHERE root = ? ORDER BY path");
  std::vector<IndexRoot> roots;
  for (Rows rows = select.rows(); rows.next();) {
    IndexRoot& root = roots.emplace_back();
    rows.read(root.path, root.scanned_ns);
    for (Rows devices = select_devices.rows(bytes_of(root.path)); devices.next();) {
      FolderDevice& folder = root.devices.emplace_back();
      devices.read(folder.path, folder.device, folder.file_system);
    }
    for (Rows files = select_withheld.rows(bytes_of(root.path)); files.next();) {
      root.withheld.emplace_back(files.text(0));
    }
  }
  return roots;
}

std::vector<RunRecord> IndexReader::runs(std::size_t count) const {
  Statement select(impl_->connection,
                   "SELECT id, command, started_ns, elapsed_seconds, outcome, document "
                   "FROM runs ORDER BY id DESC LIMIT ?");
  std::vector<RunRecord> runs;
  for (Rows rows = select.rows(count); rows.next();) {
    RunRecord& run = runs.emplace_back();
    rows.read(run.id, run.command, run.started_ns, run.elapsed_seconds, run.outcome, run.document);
  }
  return runs;
}

void IndexReader::for_each_file(const std::function<void(const std::string&)>& visit) const {
  Statement select(impl_->connection, "SELECT path FROM files ORDER BY path");
  for (Rows rows = select.rows(); rows.next();) visit(std::string(rows.text(0)));
}

void IndexReader::for_each_image(const std::function<void(const StoredImage&)>& visit) const {
  for (Rows rows = impl_->select_images.rows(); rows.next();) visit(impl_->image_in(rows));
}

std::string IndexReader::content_hash() const {
  return to_hex(index_content_hash(impl_->connection));
}

Settings read_settings(const Connection& connection) {
  Statement select(connection, "SELECT name, value FROM settings");
  Settings settings;
  for (Rows rows = select.rows(); rows.next();) settings.emplace(rows.text(0), rows.text(1));
  return settings;
}

std::optional<Codebook> read_stored_codebook(const Connection& connection) {
  Statement select(connection,
                   "SELECT descriptor_size, words, projection, thresholds FROM codebook");
  Rows rows = select.rows();
  if (!rows.next()) return std::nullopt;
  return decode_named(connection, "codebook", 1, [&] {
    return Codebook{.descriptor_size = static_cast<std::size_t>(rows.integer(0)),
                    .words = decode_floats(rows.blob(1)),
                    .projection = decode_floats(rows.blob(2)),
                    .thresholds = decode_floats(rows.blob(3))};
  });
}

}  // namespace lookalike
