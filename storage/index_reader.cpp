#include "storage/index_reader.h"

#include <algorithm>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "storage/codecs.h"
#include "storage/digest.h"
#include "storage/index_tables.h"
#include "storage/open_index.h"
#include "storage/roots.h"
#include "storage/runs.h"
#include "storage/segments.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

// Length first, so that no two rows of fields read the same.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

ContentHash digest_of(ByteView bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.value();
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
  return digest_of(out.view());
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
  return digest_of(out.view());
}

constexpr const char* kSelectImages =
    "SELECT id, content, width, height, blank, feature_count, pixel_count, pixel_sum, "
    "pixel_sum_of_squares FROM images JOIN statistics ON image = id ";

StoredImage image_in(const Rows& rows) {
  StoredImage image;
  image.id = static_cast<ImageId>(rows.integer(0));
  const ByteView content = rows.blob(1);
  std::copy_n(content.begin(), std::min(content.size(), image.content.size()),
              image.content.begin());
  image.width = static_cast<std::int32_t>(rows.integer(2));
  image.height = static_cast<std::int32_t>(rows.integer(3));
  image.blank = rows.integer(4) != 0;
  image.feature_count = static_cast<std::uint32_t>(rows.integer(5));
  image.sums = {static_cast<std::uint64_t>(rows.integer(6)),
                static_cast<std::uint64_t>(rows.integer(7)),
                static_cast<std::uint64_t>(rows.integer(8))};
  return image;
}

}  // namespace

struct IndexReader::Impl {
  explicit Impl(const std::filesystem::path& file)
      : database(file), connection(open_for_reading(file, immutable)) {
    connection.execute("PRAGMA cache_size = -16384");
    begin();
  }

  void begin();
  void leave_out_removed(WordPostings& postings, std::size_t first) const;
  std::vector<std::string> paths(ImageId id);

  std::filesystem::path database;
  bool immutable = false;
  Connection connection;
  std::vector<std::int64_t> segments;
  std::vector<bool> removed;  // by image
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

// From here on everything that is read is of one published state.
void IndexReader::Impl::begin() {
  connection.execute("BEGIN");
  segments.clear();
  for (Rows rows = select_segments.rows(); rows.next();) segments.push_back(rows.integer(0));
  removed.clear();
  for (Rows rows = select_tombstones.rows(); rows.next();) {
    const auto image = static_cast<std::size_t>(rows.integer(0));
    if (removed.size() <= image) removed.resize(image + 1);
    removed[image] = true;
  }
}

void IndexReader::Impl::leave_out_removed(WordPostings& postings, std::size_t first) const {
  if (removed.empty()) return;
  std::size_t kept = first;
  for (std::size_t i = first; i < postings.images.size(); ++i) {
    const ImageId image = postings.images[i];
    if (image < removed.size() && removed[image]) continue;
    postings.images[kept] = image;
    postings.signatures[kept++] = postings.signatures[i];
  }
  postings.images.resize(kept);
  postings.signatures.resize(kept);
}

std::vector<std::string> IndexReader::Impl::paths(ImageId id) {
  std::vector<std::string> paths;
  for (Rows rows = select_paths.rows(id); rows.next();) paths.emplace_back(rows.text(0));
  return paths;
}

IndexReader::IndexReader(const std::filesystem::path& database)
    : impl_(std::make_unique<Impl>(database)) {}

IndexReader::~IndexReader() = default;
IndexReader::IndexReader(IndexReader&&) noexcept = default;

void IndexReader::refresh() {
  if (impl_->immutable) {
    impl_ = std::make_unique<Impl>(impl_->database);
    return;
  }
  impl_->connection.execute("COMMIT");
  impl_->begin();
}

Settings IndexReader::settings() const {
  return read_settings(impl_->connection);
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  Statement select(impl_->connection, "SELECT value FROM derived WHERE name = ?");
  Rows rows = select.rows(std::string_view(name));
  if (!rows.next()) return std::nullopt;
  return std::string(rows.text(0));
}

Codebook IndexReader::codebook() const {
  std::optional<Codebook> codebook = read_stored_codebook(impl_->connection);
  if (!codebook) {
    throw Error(ErrorKind::kInput, impl_->connection.path() +
                                       ": holds no images yet: run `lookalike index --images DIR`");
  }
  return std::move(*codebook);
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
  const auto count = [&](int column) { return static_cast<std::uint64_t>(rows.integer(column)); };
  IndexCounts counts;
  counts.images = count(0);
  counts.blank = count(1);
  counts.features = count(2);
  counts.files = count(3);
  counts.quarantined = count(4);
  counts.words = count(5);
  counts.postings = count(6);
  counts.segments = count(7);
  counts.withheld = count(8);
  return counts;
}

WordPostings IndexReader::postings(std::uint32_t word) const {
  WordPostings postings;
  for (const std::int64_t segment : impl_->segments) {
    Rows rows = impl_->select_postings.rows(postings_id(segment, word));
    if (!rows.next()) continue;
    const std::size_t first = postings.images.size();
    decode_named(impl_->connection, "postings of word", word,
                 [&] { decode_postings(rows.blob(0), postings); });
    impl_->leave_out_removed(postings, first);
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
  StoredImage image = image_in(rows);
  image.paths = impl_->paths(id);
  return image;
}

std::optional<ImageId> IndexReader::find(const std::string& path) const {
  Rows rows = impl_->select_by_path.rows(bytes_of(path));
  if (!rows.next()) return std::nullopt;
  return static_cast<ImageId>(rows.integer(0));
}

std::optional<ImageId> IndexReader::find(const ContentHash& content) const {
  Rows rows = impl_->select_by_content.rows(ByteView(content));
  if (!rows.next()) return std::nullopt;
  return static_cast<ImageId>(rows.integer(0));
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

std::vector<SkippedFile> IndexReader::quarantine() const {
  return read_quarantine(impl_->connection);
}

std::vector<IndexRoot> IndexReader::roots() const {
  return read_roots(impl_->connection);
}

void IndexReader::for_each_file(const std::function<void(const std::string&)>& visit) const {
  Statement select(impl_->connection, "SELECT path FROM files ORDER BY path");
  for (Rows rows = select.rows(); rows.next();) visit(std::string(rows.text(0)));
}

std::vector<RunRecord> IndexReader::runs(std::size_t count) const {
  return read_runs(impl_->connection, count);
}

void IndexReader::for_each_image(const std::function<void(const StoredImage&)>& visit) const {
  for (Rows rows = impl_->select_images.rows(); rows.next();) {
    StoredImage image = image_in(rows);
    image.paths = impl_->paths(image.id);
    visit(image);
  }
}

std::string IndexReader::content_hash() const {
  return to_hex(index_content_hash(impl_->connection));
}

}  // namespace lookalike
