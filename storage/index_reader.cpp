#include "storage/index_reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "storage/blobs.h"
#include "storage/schema.h"
#include "storage/segments.h"
#include "storage/sqlite.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

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
    "pixel_sum_of_squares, page, coalesce(first, id), "
    "coalesce((SELECT max(page) FROM images AS others "
    "WHERE others.first = coalesce(images.first, images.id)), 1) "
    "FROM images JOIN statistics ON image = id ";

std::vector<SourceFile> source_files(Rows rows) {
  std::vector<SourceFile> files;
  while (rows.next()) {
    SourceFile& file = files.emplace_back();
    rows.read(file.path, file.size_bytes, file.modified_ns);
  }
  return files;
}

// What several threads may use at the same time, each one for a while.
template <typename T>
class Pool {
 public:
  void add(T& item) { free_.push_back(&item); }

  // Calls work(item) with an item that no other thread has, for which it may wait.
  template <typename Work>
  auto with(const Work& work) {
    const Taken taken(*this);
    return work(*taken.item);
  }

 private:
  struct Taken {
    explicit Taken(Pool& from) : pool(from) {
      std::unique_lock lock(pool.mutex_);
      pool.returned_.wait(lock, [&] { return !pool.free_.empty(); });
      item = pool.free_.back();
      pool.free_.pop_back();
    }
    ~Taken() {
      const std::lock_guard lock(pool.mutex_);
      pool.free_.push_back(item);
      pool.returned_.notify_one();
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

    Pool& pool;
    T* item = nullptr;
  };

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<T*> free_;  // guarded by the mutex
};

}  // namespace

struct IndexReader::Impl {
  explicit Impl(const std::filesystem::path& database) : connection(open_for_reading(database)) {
    constexpr std::size_t kMaxConnections = 16;  // each has files and a page cache open
    for (std::size_t i = 1; i < std::min(core_count(), kMaxConnections); ++i) {
      others.push_back(open_for_reading(database));
    }
    begin_reading();
    load_segments();
    pool.add(connection);
    for (Connection& other : others) pool.add(other);
  }
  Impl(const std::filesystem::path& database, ForWriting)
      : lock(std::in_place, database), connection(open_for_writing(database)) {
    pool.add(connection);
  }

  void begin_reading();
  void load_segments();
  const std::vector<std::int64_t>& current_segments() {
    if (!is_loaded) load_segments();
    return segments;
  }
  StoredImage image_in(Connection& reading, const Rows& rows) const;
  // What decode() makes of the blob that `select` finds for the image; empty without one.
  template <typename Decode>
  auto decode_blob(const char* select, const char* what, ImageId id, const Decode& decode) {
    return pool.with([&](Connection& reading) {
      Rows rows = reading.rows(select, id);
      if (!rows.next()) return decltype(decode(ByteView())){};
      return decode_named(reading, what, id, [&] { return decode(rows.blob(0)); });
    });
  }

  std::optional<WriterLock> lock{};  // released after the connection is closed
  Connection connection;
  std::vector<Connection> others{};  // of the same published state
  Pool<Connection> pool{};           // of them all
  bool is_loaded = false;            // whether the next two are up to date
  std::vector<std::int64_t> segments{};
  std::vector<bool> removed{};  // by image
};

// All reads, over whichever connection, are of one published state. SQLite has no call for that in
// its default build: if nothing was published between the first connection's begin and the last's,
// which the data version tells, they see the same.
void IndexReader::Impl::begin_reading() {
  connection.execute("PRAGMA cache_size = -16384");
  const auto data_version = [&] {
    return connection.first<std::int64_t>("PRAGMA data_version").value();
  };
  const auto begin = [](Connection& each) {
    each.execute("BEGIN");
    each.first<std::int64_t>("SELECT count(*) FROM segments");
  };
  while (true) {
    const std::int64_t before = data_version();
    std::ranges::for_each(others, begin);
    begin(connection);
    if (data_version() == before) return;
    for (Connection& other : others) other.execute("ROLLBACK");
    connection.execute("ROLLBACK");
  }
}

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

StoredImage IndexReader::Impl::image_in(Connection& reading, const Rows& rows) const {
  StoredImage image;
  ImageId first = 0;
  rows.read(image.id, image.content, image.width, image.height, image.blank, image.feature_count,
            image.sums.count, image.sums.sum, image.sums.sum_of_squares, image.page, first,
            image.pages);
  Rows paths = reading.rows("SELECT path FROM files WHERE image = ? ORDER BY path", first);
  while (paths.next()) image.paths.push_back(page_name(std::string(paths.text(0)), image.page));
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
  return impl_->pool.with(read_settings);
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return impl_->pool.with([&](Connection& reading) {
    return reading.first<std::string>("SELECT value FROM derived WHERE name = ?", name);
  });
}

std::optional<Codebook> IndexReader::stored_codebook() const {
  return impl_->pool.with(read_stored_codebook);
}

Codebook IndexReader::codebook() const {
  if (std::optional<Codebook> codebook = stored_codebook()) return std::move(*codebook);
  throw Error(ErrorKind::kInput,
              connection().path() + ": holds no images yet: run `lookalike index --images DIR`");
}

IndexCounts IndexReader::counts() const {
  return impl_->pool.with([](Connection& reading) {
    Rows rows = reading.rows(
        "SELECT count(*), sum(blank), sum(feature_count), "
        "(SELECT count(*) FROM files), (SELECT count(*) FROM quarantine), "
        "(SELECT sum(word_count) FROM codebook), (SELECT sum(posting_count) FROM segments), "
        "(SELECT count(*) FROM segments), (SELECT count(*) FROM withheld) FROM images");
    rows.next();
    IndexCounts counts;
    rows.read(counts.images, counts.blank, counts.features, counts.files, counts.quarantined,
              counts.words, counts.postings, counts.segments, counts.withheld);
    return counts;
  });
}

void IndexReader::for_each_list(std::uint32_t word,
                                const std::function<void(const EncodedPostings&)>& visit) const {
  impl_->pool.with([&](Connection& reading) {
    for (const std::int64_t segment : impl_->current_segments()) {
      Rows rows =
          reading.rows("SELECT data FROM postings WHERE id = ?", postings_id(segment, word));
      if (!rows.next()) continue;
      visit(decode_named(reading, "postings of word", word,
                         [&] { return open_postings(rows.blob(0)); }));
    }
  });
}

const std::vector<bool>& IndexReader::removed() const {
  impl_->current_segments();
  return impl_->removed;
}

std::unordered_map<ImageId, float> IndexReader::norms() const {
  return impl_->pool.with([](Connection& reading) {
    std::unordered_map<ImageId, float> norms;
    Rows rows = reading.rows("SELECT id, norm FROM images WHERE blank = 0");
    while (rows.next()) {
      norms.emplace(static_cast<ImageId>(rows.integer(0)), static_cast<float>(rows.real(1)));
    }
    return norms;
  });
}

std::vector<ImageId> IndexReader::images_by_content() const {
  return impl_->pool.with([](Connection& reading) {
    Rows rows = reading.rows("SELECT id FROM images WHERE blank = 0 ORDER BY content");
    std::vector<ImageId> images;
    while (rows.next()) images.push_back(static_cast<ImageId>(rows.integer(0)));
    return images;
  });
}

std::optional<StoredImage> IndexReader::image(ImageId id) const {
  return impl_->pool.with([&](Connection& reading) -> std::optional<StoredImage> {
    Rows rows = reading.rows(std::string(kSelectImages) + "WHERE id = ?", id);
    if (!rows.next()) return std::nullopt;
    return impl_->image_in(reading, rows);
  });
}

std::vector<StoredImage> IndexReader::images_after(ImageId id, std::size_t count) const {
  return impl_->pool.with([&](Connection& reading) {
    Rows rows =
        reading.rows(std::string(kSelectImages) + "WHERE id > ? ORDER BY id LIMIT ?", id, count);
    std::vector<StoredImage> images;
    while (rows.next()) images.push_back(impl_->image_in(reading, rows));
    return images;
  });
}

std::optional<ImageId> IndexReader::find(const std::string& path) const {
  return impl_->pool.with([&](Connection& reading) {
    const auto image_of = [&](const std::string& file) {
      return reading.first<ImageId>("SELECT image FROM files WHERE path = ?", bytes_of(file));
    };
    const std::optional<ImageId> image = image_of(path);
    const Page page = page_of(path);
    if (image || page.file == path) return image;
    const std::optional<ImageId> first = image_of(page.file);
    if (!first || page.number == 1) return first;
    return reading.first<ImageId>("SELECT id FROM images WHERE first = ? AND page = ?", *first,
                                  page.number);
  });
}

std::optional<ImageId> IndexReader::find(const ContentHash& content) const {
  return impl_->pool.with([&](Connection& reading) {
    return reading.first<ImageId>("SELECT id FROM images WHERE content = ?", content);
  });
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
  return impl_->pool.with([](Connection& reading) {
    return source_files(
        reading.rows("SELECT path, size_bytes, modified_ns FROM files ORDER BY path"));
  });
}

std::vector<SourceFile> IndexReader::files_of(ImageId id) const {
  return impl_->pool.with([&](Connection& reading) {
    return source_files(reading.rows(
        "SELECT path, size_bytes, modified_ns FROM files "
        "WHERE image = (SELECT coalesce(first, id) FROM images WHERE id = ?) ORDER BY path",
        id));
  });
}

// The paths below a folder lie between its name with '/' and that with '0', the next character.
std::size_t IndexReader::files_below(const std::string& folder) const {
  const std::string name = folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  return impl_->pool.with([&](Connection& reading) {
    return reading
        .first<std::size_t>("SELECT count(*) FROM files WHERE path > ? AND path < ?",
                            bytes_of(name + '/'), bytes_of(name + '0'))
        .value();
  });
}

void IndexReader::for_each_entry(const std::string& folder, const std::string& after,
                                 const std::function<bool(const std::string&, bool)>& visit) const {
  const std::string name = folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  const std::string end = name + '0';
  impl_->pool.with([&](Connection& reading) {
    // Each folder ends a list of rows; the next one begins past all that is in it.
    std::optional<std::string> next = std::max(name + '/', after + '\0');
    while (next) {
      const std::string from = *std::exchange(next, std::nullopt);
      Rows rows = reading.rows("SELECT path FROM files WHERE path >= ? AND path < ? ORDER BY path",
                               bytes_of(from), bytes_of(end));
      while (!next && rows.next()) {
        std::string path(rows.text(0));
        const std::size_t slash = path.find('/', name.size() + 1);
        const bool is_folder = slash != path.npos;
        if (is_folder) {
          path.resize(slash);
          next = path + '0';
        }
        if (!visit(path, is_folder)) return;
      }
    }
  });
}

std::vector<SkippedFile> IndexReader::quarantine(std::size_t after, std::size_t count) const {
  return impl_->pool.with([&](Connection& reading) {
    Rows rows = reading.rows(
        "SELECT path, size_bytes, modified_ns, reason, detail FROM quarantine "
        "ORDER BY path LIMIT ? OFFSET ?",
        count, after);
    std::vector<SkippedFile> files;
    while (rows.next()) {
      SkippedFile& skipped = files.emplace_back();
      rows.read(skipped.file.path, skipped.file.size_bytes, skipped.file.modified_ns,
                skipped.reason, skipped.detail);
    }
    return files;
  });
}

std::vector<IndexRoot> IndexReader::roots() const {
  return impl_->pool.with([](Connection& reading) {
    Rows rows = reading.rows("SELECT path, scanned_ns FROM roots ORDER BY path");
    std::vector<IndexRoot> roots;
    while (rows.next()) {
      IndexRoot& root = roots.emplace_back();
      rows.read(root.path, root.scanned_ns);
      Rows devices =
          reading.rows("SELECT path, device, file_system FROM devices WHERE root = ? ORDER BY path",
                       bytes_of(root.path));
      while (devices.next()) {
        FolderDevice& folder = root.devices.emplace_back();
        devices.read(folder.path, folder.device, folder.file_system);
      }
      Rows withheld = reading.rows("SELECT path FROM withheld WHERE root = ? ORDER BY path",
                                   bytes_of(root.path));
      while (withheld.next()) root.withheld.emplace_back(withheld.text(0));
    }
    return roots;
  });
}

std::vector<RunRecord> IndexReader::runs(std::size_t count) const {
  return impl_->pool.with([&](Connection& reading) {
    Rows rows = reading.rows(
        "SELECT id, command, started_ns, elapsed_seconds, outcome, document "
        "FROM runs ORDER BY id DESC LIMIT ?",
        count);
    std::vector<RunRecord> runs;
    while (rows.next()) {
      RunRecord& run = runs.emplace_back();
      rows.read(run.id, run.command, run.started_ns, run.elapsed_seconds, run.outcome,
                run.document);
    }
    return runs;
  });
}

void IndexReader::for_each_file(const std::function<void(const std::string&)>& visit) const {
  impl_->pool.with([&](Connection& reading) {
    Rows rows = reading.rows("SELECT path FROM files ORDER BY path");
    while (rows.next()) visit(std::string(rows.text(0)));
  });
}

void IndexReader::for_each_image(const std::function<void(const StoredImage&)>& visit) const {
  constexpr std::size_t kImages = 256;  // no connection is taken while the visitor runs
  for (auto images = images_after(0, kImages); !images.empty();
       images = images_after(images.back().id, kImages)) {
    std::ranges::for_each(images, visit);
  }
}

// XXH3-128 over the codebook's hash, the settings by name, and the sorted digests of the live
// images.
std::string IndexReader::content_hash() const {
  return impl_->pool.with([](Connection& reading) {
    ByteWriter out;
    Rows codebook = reading.rows("SELECT hash FROM codebook");
    while (codebook.next()) put_blob(out, codebook.blob(0));
    const Settings settings = read_settings(reading);
    out.put_count(settings.size());
    for (const auto& [name, value] : settings) {
      out.put_text(name);
      out.put_text(value);
    }
    for (const ContentHash& digest : image_digests(reading)) {
      out.put_array(digest.data(), digest.size());
    }
    return to_hex(hash_content(out.view()));
  });
}

std::vector<std::string> differing_settings(const Settings& one, const Settings& other) {
  Settings all = one;
  all.insert(other.begin(), other.end());
  std::vector<std::string> names;
  for (const auto& [name, value] : all) {
    const auto a = one.find(name);
    const auto b = other.find(name);
    if (a == one.end() || b == other.end() || a->second != b->second) names.push_back(name);
  }
  return names;
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
