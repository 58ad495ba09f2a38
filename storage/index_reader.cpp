#include "storage/index_reader.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "storage/blobs.h"
#include "storage/schema.h"
#include "storage/segments.h"
#include "storage/sqlite.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

using Blob = std::vector<std::uint8_t>;

// Length first, so that different sequences of fields differ in their bytes.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

std::vector<ContentHash> image_digests(Connection& connection) {
  Rows rows = connection.rows(
      "SELECT id, blank, histograms.data, forward.data, content, width, height, "
      "pixel_count, pixel_sum, pixel_sum_of_squares "
      "FROM images JOIN statistics ON statistics.image = id "
      "LEFT JOIN histograms ON histograms.image = id "
      "LEFT JOIN forward ON forward.image = id ORDER BY id");
  std::vector<ContentHash> digests;
  while (rows.next()) {
    const bool blank = rows.integer(1) != 0;
    if (!blank) {
      decode_named(connection, "histogram of image", rows.integer(0),
                   [&] { check_blob(rows.blob(2)); });
      decode_named(connection, "forward record of image", rows.integer(0),
                   [&] { check_blob(rows.blob(3)); });
    }
    ByteWriter out;
    out.put<std::uint8_t>(blank ? 1 : 0);
    for (int column = 2; column < 5; ++column) put_blob(out, rows.blob(column));
    for (int column = 5; column < 10; ++column) out.put<std::int64_t>(rows.integer(column));
    digests.push_back(hash_content(out.view()));
  }
  std::ranges::sort(digests);
  return digests;
}

constexpr const char* kSelectImages =
    "SELECT id, content, width, height, blank, feature_count, pixel_count, pixel_sum, "
    "pixel_sum_of_squares FROM images JOIN statistics ON image = id ";

}  // namespace

struct IndexReader::Impl {
  explicit Impl(const std::filesystem::path& database) : connection(open_for_reading(database)) {
    // All reads are of one published state, which the first of them chooses.
    connection.execute("PRAGMA cache_size = -16384; BEGIN");
    load_segments();
  }
  Impl(const std::filesystem::path& database, ForWriting)
      : lock(std::in_place, database), connection(open_for_writing(database)) {}

  void load_segments();
  StoredImage image_in(const Rows& rows);
  // Appends the blob that `select` finds, if it finds one.
  void read_blob(const char* select, std::int64_t id, std::vector<Blob>& blobs) {
    Rows rows = connection.rows(select, id);
    if (!rows.next()) return;
    const ByteView blob = rows.blob(0);
    blobs.emplace_back(blob.begin(), blob.end());
  }
  // What decode() makes of the blob that `select` finds for the image; empty without one.
  template <typename Decode>
  auto decode_blob(const char* select, const char* what, ImageId id, const Decode& decode) {
    std::vector<Blob> blobs;
    {
      const std::lock_guard reading(mutex);
      read_blob(select, id, blobs);
    }
    if (blobs.empty()) return decltype(decode(ByteView())){};
    return decode_named(connection, what, id, [&] { return decode(blobs.front()); });
  }

  std::optional<WriterLock> lock{};  // released after the connection is closed
  Connection connection;
  std::mutex mutex{};      // held while rows are read by what several threads may call
  bool is_loaded = false;  // whether the next two are up to date
  std::vector<std::int64_t> segments{};
  std::vector<bool> removed{};  // by image
};

void IndexReader::Impl::load_segments() {
  segments.clear();
  Rows listed = connection.rows("SELECT id FROM segments ORDER BY id");
  while (listed.next()) segments.push_back(listed.integer(0));
  removed.clear();
  Rows tombstones = connection.rows("SELECT image FROM tombstones ORDER BY image DESC");
  while (tombstones.next()) {
    const auto image = static_cast<std::size_t>(tombstones.integer(0));
    if (removed.size() <= image) removed.resize(image + 1);
    removed[image] = true;
  }
  is_loaded = true;
}

StoredImage IndexReader::Impl::image_in(const Rows& rows) {
  StoredImage image;
  rows.read(image.id, image.content, image.width, image.height, image.blank, image.feature_count,
            image.sums.count, image.sums.sum, image.sums.sum_of_squares);
  Rows paths = connection.rows("SELECT path FROM files WHERE image = ? ORDER BY path", image.id);
  while (paths.next()) image.paths.emplace_back(paths.text(0));
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

void IndexReader::segments_changed() {
  impl_->is_loaded = false;
}

Settings IndexReader::settings() const {
  return read_settings(connection());
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return connection().first<std::string>("SELECT value FROM derived WHERE name = ?", name);
}

std::optional<Codebook> IndexReader::stored_codebook() const {
  return read_stored_codebook(connection());
}

Codebook IndexReader::codebook() const {
  if (std::optional<Codebook> codebook = stored_codebook()) return std::move(*codebook);
  throw Error(ErrorKind::kInput,
              connection().path() + ": holds no images yet: run `lookalike index --images DIR`");
}

IndexCounts IndexReader::counts() const {
  Rows rows = connection().rows(
      "SELECT count(*), sum(blank), sum(feature_count), "
      "(SELECT count(*) FROM files), (SELECT count(*) FROM quarantine), "
      "(SELECT sum(word_count) FROM codebook), (SELECT sum(posting_count) FROM segments), "
      "(SELECT count(*) FROM segments), (SELECT count(*) FROM withheld) FROM images");
  rows.next();
  IndexCounts counts;
  rows.read(counts.images, counts.blank, counts.features, counts.files, counts.quarantined,
            counts.words, counts.postings, counts.segments, counts.withheld);
  return counts;
}

WordPostings IndexReader::postings(std::uint32_t word) const {
  std::vector<Blob> blobs;
  {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->is_loaded) impl_->load_segments();
    for (const std::int64_t segment : impl_->segments) {
      impl_->read_blob("SELECT data FROM postings WHERE id = ?", postings_id(segment, word), blobs);
    }
  }
  const std::vector<bool>& removed = impl_->removed;
  WordPostings postings;
  for (const Blob& blob : blobs) {
    decode_named(connection(), "postings of word", word, [&] { decode_postings(blob, postings); });
  }
  if (!removed.empty()) {
    drop_postings(postings,
                  [&](ImageId image) { return image < removed.size() && removed[image]; });
  }
  return postings;
}

std::unordered_map<ImageId, float> IndexReader::norms() const {
  std::unordered_map<ImageId, float> norms;
  Rows rows = connection().rows("SELECT id, norm FROM images WHERE blank = 0");
  while (rows.next()) {
    norms.emplace(static_cast<ImageId>(rows.integer(0)), static_cast<float>(rows.real(1)));
  }
  return norms;
}

std::vector<ImageId> IndexReader::images_by_content() const {
  Rows rows = connection().rows("SELECT id FROM images WHERE blank = 0 ORDER BY content");
  std::vector<ImageId> images;
  while (rows.next()) images.push_back(static_cast<ImageId>(rows.integer(0)));
  return images;
}

std::optional<StoredImage> IndexReader::image(ImageId id) const {
  const std::lock_guard lock(impl_->mutex);
  Rows rows = connection().rows(std::string(kSelectImages) + "WHERE id = ?", id);
  if (!rows.next()) return std::nullopt;
  return impl_->image_in(rows);
}

std::optional<ImageId> IndexReader::find(const std::string& path) const {
  const std::lock_guard lock(impl_->mutex);
  return connection().first<ImageId>("SELECT image FROM files WHERE path = ?", bytes_of(path));
}

std::optional<ImageId> IndexReader::find(const ContentHash& content) const {
  const std::lock_guard lock(impl_->mutex);
  return connection().first<ImageId>("SELECT id FROM images WHERE content = ?", content);
}

std::vector<IndexedFeature> IndexReader::features(ImageId id) const {
  return impl_->decode_blob("SELECT data FROM forward WHERE image = ?", "forward record of image",
                            id, decode_features);
}

SparseHistogram IndexReader::histogram(ImageId id) const {
  return impl_->decode_blob("SELECT data FROM histograms WHERE image = ?", "histogram of image", id,
                            decode_histogram);
}

std::vector<SourceFile> IndexReader::files() const {
  Rows rows = connection().rows("SELECT path, size_bytes, modified_ns FROM files ORDER BY path");
  std::vector<SourceFile> files;
  while (rows.next()) {
    SourceFile& file = files.emplace_back();
    rows.read(file.path, file.size_bytes, file.modified_ns);
  }
  return files;
}

std::vector<SkippedFile> IndexReader::quarantine() const {
  Rows rows = connection().rows(
      "SELECT path, size_bytes, modified_ns, reason, detail FROM quarantine ORDER BY path");
  std::vector<SkippedFile> files;
  while (rows.next()) {
    SkippedFile& skipped = files.emplace_back();
    rows.read(skipped.file.path, skipped.file.size_bytes, skipped.file.modified_ns, skipped.reason,
              skipped.detail);
  }
  return files;
}

std::vector<IndexRoot> IndexReader::roots() const {
  Rows rows = connection().rows("SELECT path, scanned_ns FROM roots ORDER BY path");
  std::vector<IndexRoot> roots;
  while (rows.next()) {
    IndexRoot& root = roots.emplace_back();
    rows.read(root.path, root.scanned_ns);
    Rows devices = connection().rows(
        "SELECT path, device, file_system FROM devices WHERE root = ? ORDER BY path",
        bytes_of(root.path));
    while (devices.next()) {
      FolderDevice& folder = root.devices.emplace_back();
      devices.read(folder.path, folder.device, folder.file_system);
    }
    Rows withheld = connection().rows("SELECT path FROM withheld WHERE root = ? ORDER BY path",
                                      bytes_of(root.path));
    while (withheld.next()) root.withheld.emplace_back(withheld.text(0));
  }
  return roots;
}

std::vector<RunRecord> IndexReader::runs(std::size_t count) const {
  Rows rows = connection().rows(
      "SELECT id, command, started_ns, elapsed_seconds, outcome, document "
      "FROM runs ORDER BY id DESC LIMIT ?",
      count);
  std::vector<RunRecord> runs;
  while (rows.next()) {
    RunRecord& run = runs.emplace_back();
    rows.read(run.id, run.command, run.started_ns, run.elapsed_seconds, run.outcome, run.document);
  }
  return runs;
}

void IndexReader::for_each_file(const std::function<void(const std::string&)>& visit) const {
  Rows rows = connection().rows("SELECT path FROM files ORDER BY path");
  while (rows.next()) visit(std::string(rows.text(0)));
}

void IndexReader::for_each_image(const std::function<void(const StoredImage&)>& visit) const {
  Rows rows = connection().rows(std::string(kSelectImages) + "ORDER BY id");
  while (rows.next()) visit(impl_->image_in(rows));
}

// XXH3-128 over the codebook's hash, the settings by name, and the sorted digests of the live
// images.
std::string IndexReader::content_hash() const {
  ByteWriter out;
  Rows codebook = connection().rows("SELECT hash FROM codebook");
  while (codebook.next()) put_blob(out, codebook.blob(0));
  const Settings settings = this->settings();
  out.put_count(settings.size());
  for (const auto& [name, value] : settings) {
    out.put_text(name);
    out.put_text(value);
  }
  for (const ContentHash& digest : image_digests(connection())) {
    out.put_array(digest.data(), digest.size());
  }
  return to_hex(hash_content(out.view()));
}

Settings read_settings(Connection& connection) {
  Rows rows = connection.rows("SELECT name, value FROM settings");
  Settings settings;
  while (rows.next()) settings.emplace(rows.text(0), rows.text(1));
  return settings;
}

std::optional<Codebook> read_stored_codebook(Connection& connection) {
  Rows rows =
      connection.rows("SELECT descriptor_size, words, projection, thresholds FROM codebook");
  if (!rows.next()) return std::nullopt;
  return decode_named(connection, "codebook", 1, [&] {
    return Codebook{.descriptor_size = static_cast<std::size_t>(rows.integer(0)),
                    .words = decode_floats(rows.blob(1)),
                    .projection = decode_floats(rows.blob(2)),
                    .thresholds = decode_floats(rows.blob(3))};
  });
}

}  // namespace lookalike
