#include "storage/index_reader.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/artefacts.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/text.h"
#include "storage/blobs.h"
#include "storage/connection_pool.h"
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

IndexCounts counts_of(Connection& reading) {
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
}

void add(const IndexCounts& counts, IndexCounts& total) {
  total.images += counts.images;
  total.blank += counts.blank;
  total.files += counts.files;
  total.quarantined += counts.quarantined;
  total.withheld += counts.withheld;
  total.features += counts.features;
  total.words = counts.words;  // of the one codebook
  total.postings += counts.postings;
  total.segments += counts.segments;
}

std::vector<IndexRoot> roots_of(Connection& reading) {
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
    Rows withheld =
        reading.rows("SELECT path FROM withheld WHERE root = ? ORDER BY path", bytes_of(root.path));
    while (withheld.next()) root.withheld.emplace_back(withheld.text(0));
  }
  return roots;
}

std::vector<RunRecord> runs_of(Connection& reading, std::size_t count) {
  Rows rows = reading.rows(
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

std::optional<ImageId> image_at(Connection& reading, const std::string& path) {
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
}

template <typename T>
void append(std::vector<T> from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Of neighbours with equal keys, keeps the first.
template <typename T, typename Key>
void keep_first_of_each(std::vector<T>& sorted, Key key) {
  const auto rest = std::ranges::unique(sorted, {}, key);
  sorted.erase(rest.begin(), rest.end());
}

}  // namespace

struct IndexReader::Impl {
  // A database of the index.
  struct Part {
    Part(ImageNumbers its_numbers, const std::filesystem::path& database, std::size_t connections)
        : numbers(its_numbers), pool(database, connections) {}
    explicit Part(Connection connection) : pool(std::move(connection)) {}

    const ImageNumbers numbers{};
    ConnectionPool pool;
    std::vector<std::int64_t> segments{};  // if is_loaded
  };

  explicit Impl(const std::vector<std::filesystem::path>& databases);
  Impl(const std::filesystem::path& database, ForWriting) : lock(std::in_place, database) {
    parts.emplace_back(open_for_writing(database));
  }

  void check_parts();
  void find_copies();
  void load_segments();
  void ensure_segments() {
    if (!is_loaded) load_segments();
  }

  Part& part_of(ImageId id) { return parts[id % parts.size()]; }
  // The number of an image in its own database.
  ImageId own_id(ImageId id) const { return id / static_cast<ImageId>(parts.size()); }
  // The image that stands for one of this content.
  ImageId original(ImageId id) const {
    const auto copy = originals.find(id);
    return copy == originals.end() ? id : copy->second;
  }

  StoredImage image_in(const Part& part, Connection& reading, const Rows& rows) const;
  std::optional<StoredImage> stored(ImageId id);
  void add_paths_of_copies(StoredImage& image);
  // What decode() makes of the blob that `select` finds for the image; empty without one.
  template <typename Decode>
  auto decode_blob(const char* select, const char* what, ImageId id, const Decode& decode) {
    return part_of(id).pool.with([&](Connection& reading) {
      Rows rows = reading.rows(select, own_id(id));
      if (!rows.next()) return decltype(decode(ByteView())){};
      return decode_named(reading, what, own_id(id), [&] { return decode(rows.blob(0)); });
    });
  }
  // A row of a database while all are read together.
  struct Row {
    const Part& part;
    Connection& reading;
    const Rows& columns;

    ImageId image(int column) const {
      return part.numbers.of(static_cast<ImageId>(columns.integer(column)));
    }
  };
  // Reads rows of all databases, each of which has its own in the order of their key, together in
  // that order: calls visit(key, row) at each of them until it returns false. Works over
  // open(part, connection) -> Rows and key_of(row).
  template <typename Open, typename KeyOf, typename Visit>
  void merge_rows(const Open& open, const KeyOf& key_of, const Visit& visit);
  // The same of a query with these values, by its first column: a path, or a content.
  template <typename Key, typename Visit, typename... Values>
  void merge_by(const char* select, const Visit& visit, const Values&... values) {
    merge_rows([&](const Part&, Connection& reading) { return reading.rows(select, values...); },
               [](const Row& row) {
                 Key key{};
                 row.columns.read(key);
                 return key;
               },
               visit);
  }

  std::optional<WriterLock> lock{};  // released after the connections are closed
  std::deque<Part> parts{};
  bool is_loaded = false;                              // whether segments and the next are current
  std::vector<bool> not_counted{};                     // by image, as removed() has it
  std::unordered_map<ImageId, ImageId> originals{};    // by copy in a later database
  std::unordered_multimap<ImageId, ImageId> copies{};  // by original
};

IndexReader::Impl::Impl(const std::vector<std::filesystem::path>& databases) {
  require(!databases.empty(), "IndexReader: no database");
  constexpr std::size_t kMaxConnections = 16;  // each has files and a page cache open
  constexpr std::size_t kCacheKib = 16384;     // shared by the first connections of all databases
  const std::size_t count = databases.size();
  const std::size_t connections =
      std::min(core_count(), std::max<std::size_t>(kMaxConnections / count, count == 1 ? 1 : 2));
  for (std::size_t i = 0; i < count; ++i) {
    const ImageNumbers numbers{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(i)};
    Part& part = parts.emplace_back(numbers, databases[i], connections);
    part.pool.first().execute(fmt::format("PRAGMA cache_size = -{}", kCacheKib / count).c_str());
  }
  if (count > 1) {
    check_parts();
    find_copies();
  }
  load_segments();
}

void IndexReader::Impl::check_parts() {
  Connection& first = parts.front().pool.first();
  const Settings settings = read_settings(first);
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    Connection& own = part->pool.first();
    const std::string name = printable(own.path());
    for (auto earlier = parts.begin(); earlier != part; ++earlier) {
      if (std::filesystem::equivalent(earlier->pool.first().path(), own.path())) {
        throw Error(ErrorKind::kUsage, name + ": is named twice: name each index once");
      }
    }
    const Settings own_settings = read_settings(own);
    if (own_settings.empty()) {
      throw Error(ErrorKind::kInput,
                  name + ": holds no images yet: run `lookalike index --images DIR`");
    }
    const auto names = differing_settings(settings, own_settings);
    if (!names.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: cannot be searched together with {}, since these settings "
                              "differ: {}",
                              name, printable(first.path()), fmt::join(names, ", ")));
    }
    const auto last = own.first<std::uint64_t>(
                             "SELECT max(coalesce((SELECT max(id) FROM images), 0), "
                             "coalesce((SELECT max(image) FROM tombstones), 0))")
                          .value();
    if ((last + 1) * parts.size() > std::numeric_limits<ImageId>::max()) {
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: is too large to be searched together with {} others", name,
                              parts.size() - 1));
    }
  }
}

void IndexReader::Impl::find_copies() {
  std::optional<std::pair<ContentHash, ImageId>> last;
  merge_by<ContentHash>("SELECT content, id FROM images ORDER BY content",
                        [&](const ContentHash& content, const Row& row) {
                          const ImageId image = row.image(1);
                          if (last && last->first == content) {
                            originals.emplace(image, last->second);
                            copies.emplace(last->second, image);
                          } else {
                            last = {content, image};
                          }
                          return true;
                        });
}

void IndexReader::Impl::load_segments() {
  not_counted.clear();
  const auto leave_out = [&](ImageId image) {
    if (not_counted.size() <= image) not_counted.resize(std::size_t{image} + 1);
    not_counted[image] = true;
  };
  for (Part& part : parts) {
    part.segments.clear();
    Connection& reading = part.pool.first();
    Rows listed = reading.rows("SELECT id FROM segments ORDER BY id");
    while (listed.next()) part.segments.push_back(listed.integer(0));
    Rows tombstones = reading.rows("SELECT image FROM tombstones ORDER BY image DESC");
    while (tombstones.next()) {
      leave_out(part.numbers.of(static_cast<ImageId>(tombstones.integer(0))));
    }
  }
  for (const auto& [copy, original] : originals) leave_out(copy);
  is_loaded = true;
}

template <typename Open, typename KeyOf, typename Visit>
void IndexReader::Impl::merge_rows(const Open& open, const KeyOf& key_of, const Visit& visit) {
  struct Cursor {
    Cursor(Part& part, const Open& open_rows)
        : lease(part.pool), rows(open_rows(part, *lease)), row{part, *lease, rows} {}
    ConnectionPool::Lease lease;
    Rows rows;
    Row row;
  };
  std::deque<Cursor> cursors;
  std::set<std::pair<decltype(key_of(cursors.front().row)), std::size_t>> next;
  const auto advance = [&](std::size_t i) {
    if (cursors[i].rows.next()) next.emplace(key_of(cursors[i].row), i);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    cursors.emplace_back(parts[i], open);
    advance(i);
  }
  while (!next.empty()) {
    const auto [key, i] = *next.begin();
    next.erase(next.begin());
    if (!visit(key, cursors[i].row)) return;
    advance(i);
  }
}

// Without the paths of copies.
StoredImage IndexReader::Impl::image_in(const Part& part, Connection& reading,
                                        const Rows& rows) const {
  StoredImage image;
  ImageId first = 0;
  rows.read(image.id, image.content, image.width, image.height, image.blank, image.feature_count,
            image.sums.count, image.sums.sum, image.sums.sum_of_squares, image.page, first,
            image.pages);
  image.id = part.numbers.of(image.id);
  Rows paths = reading.rows("SELECT path FROM files WHERE image = ? ORDER BY path", first);
  while (paths.next()) image.paths.push_back(page_name(std::string(paths.text(0)), image.page));
  return image;
}

std::optional<StoredImage> IndexReader::Impl::stored(ImageId id) {
  Part& part = part_of(id);
  return part.pool.with([&](Connection& reading) -> std::optional<StoredImage> {
    Rows rows = reading.rows(std::string(kSelectImages) + "WHERE id = ?", own_id(id));
    if (!rows.next()) return std::nullopt;
    return image_in(part, reading, rows);
  });
}

void IndexReader::Impl::add_paths_of_copies(StoredImage& image) {
  const auto [begin, end] = copies.equal_range(image.id);
  if (begin == end) return;
  for (auto copy = begin; copy != end; ++copy) {
    StoredImage other = stored(copy->second).value();
    image.pages = std::max(image.pages, other.pages);
    append(std::move(other.paths), image.paths);
  }
  std::ranges::sort(image.paths);
  keep_first_of_each(image.paths, std::identity());
}

IndexReader::IndexReader(const std::filesystem::path& database)
    : IndexReader(std::vector<std::filesystem::path>{database}) {}

IndexReader::IndexReader(const std::vector<std::filesystem::path>& databases)
    : impl_(std::make_unique<Impl>(databases)) {}

IndexReader::IndexReader(const std::filesystem::path& database, ForWriting for_writing)
    : impl_(std::make_unique<Impl>(database, for_writing)) {}

IndexReader::~IndexReader() = default;
IndexReader::IndexReader(IndexReader&&) noexcept = default;

Connection& IndexReader::connection() const {
  return impl_->parts.front().pool.first();
}

void IndexReader::segments_changed() {
  impl_->is_loaded = false;
}

Settings IndexReader::settings() const {
  return impl_->parts.front().pool.with(read_settings);
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return impl_->parts.front().pool.with([&](Connection& reading) {
    return reading.first<std::string>("SELECT value FROM derived WHERE name = ?", name);
  });
}

std::optional<Codebook> IndexReader::stored_codebook() const {
  return impl_->parts.front().pool.with(read_stored_codebook);
}

Codebook IndexReader::codebook() const {
  if (std::optional<Codebook> codebook = stored_codebook()) return std::move(*codebook);
  throw Error(ErrorKind::kInput,
              connection().path() + ": holds no images yet: run `lookalike index --images DIR`");
}

IndexCounts IndexReader::counts() const {
  IndexCounts total;
  for (Impl::Part& part : impl_->parts) add(part.pool.with(counts_of), total);
  for (const auto& [copy, original] : impl_->originals) {
    impl_->part_of(copy).pool.with([&](Connection& reading) {
      Rows rows =
          reading.rows("SELECT blank, feature_count FROM images WHERE id = ?", impl_->own_id(copy));
      rows.next();
      --total.images;
      total.blank -= static_cast<std::uint64_t>(rows.integer(0));
      total.features -= static_cast<std::uint64_t>(rows.integer(1));
    });
  }
  return total;
}

void IndexReader::for_each_list(std::uint32_t word,
                                const std::function<void(const EncodedPostings&)>& visit) const {
  impl_->ensure_segments();
  const std::size_t count = impl_->parts.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Words begin with different databases, so that threads do not wait for the same one.
    Impl::Part& part = impl_->parts[(word + i) % count];
    part.pool.with([&](Connection& reading) {
      for (const std::int64_t segment : part.segments) {
        Rows rows =
            reading.rows("SELECT data FROM postings WHERE id = ?", postings_id(segment, word));
        if (!rows.next()) continue;
        visit(decode_named(reading, "postings of word", word,
                           [&] { return open_postings(rows.blob(0), part.numbers); }));
      }
    });
  }
}

const std::vector<bool>& IndexReader::removed() const {
  impl_->ensure_segments();
  return impl_->not_counted;
}

std::vector<float> IndexReader::norms() const {
  std::vector<float> norms;
  for (Impl::Part& part : impl_->parts) {
    part.pool.with([&](Connection& reading) {
      Rows rows = reading.rows("SELECT id, norm FROM images WHERE blank = 0");
      while (rows.next()) {
        const ImageId image = part.numbers.of(static_cast<ImageId>(rows.integer(0)));
        if (impl_->original(image) != image) continue;
        if (norms.size() <= image) norms.resize(std::size_t{image} + 1, kNoNorm);
        norms[image] = static_cast<float>(rows.real(1));
      }
    });
  }
  return norms;
}

std::vector<ImageId> IndexReader::images_by_content() const {
  std::vector<ImageId> images;
  impl_->merge_by<ContentHash>("SELECT content, id FROM images WHERE blank = 0 ORDER BY content",
                               [&](const ContentHash&, const Impl::Row& row) {
                                 const ImageId image = row.image(1);
                                 if (impl_->original(image) == image) images.push_back(image);
                                 return true;
                               });
  return images;
}

std::optional<StoredImage> IndexReader::image(ImageId id) const {
  std::optional<StoredImage> image = impl_->stored(impl_->original(id));
  if (image) impl_->add_paths_of_copies(*image);
  return image;
}

ContentHash IndexReader::content(ImageId id) const {
  return impl_->part_of(id).pool.with([&](Connection& reading) {
    return reading.first<ContentHash>("SELECT content FROM images WHERE id = ?", impl_->own_id(id))
        .value();
  });
}

std::vector<StoredImage> IndexReader::images_after(ImageId id, std::size_t count) const {
  std::vector<StoredImage> images;
  if (count == 0) return images;
  impl_->merge_rows(
      [&](const Impl::Part& part, Connection& reading) {
        // The last of its own ids whose number is not above `id`; 0, which is no id, if none is.
        const ImageId before = id < part.numbers.place ? 0 : impl_->own_id(id - part.numbers.place);
        return reading.rows(std::string(kSelectImages) + "WHERE id > ? ORDER BY id", before);
      },
      [](const Impl::Row& row) { return row.image(0); },
      [&](ImageId number, const Impl::Row& row) {
        if (impl_->original(number) == number) {
          images.push_back(impl_->image_in(row.part, row.reading, row.columns));
        }
        return images.size() < count;
      });
  for (StoredImage& image : images) impl_->add_paths_of_copies(image);
  return images;
}

std::optional<ImageId> IndexReader::find(const std::string& path) const {
  for (Impl::Part& part : impl_->parts) {
    const auto image = part.pool.with([&](Connection& reading) { return image_at(reading, path); });
    if (image) return impl_->original(part.numbers.of(*image));
  }
  return std::nullopt;
}

std::optional<ImageId> IndexReader::find(const ContentHash& content) const {
  for (Impl::Part& part : impl_->parts) {
    const auto image = part.pool.with([&](Connection& reading) {
      return reading.first<ImageId>("SELECT id FROM images WHERE content = ?", content);
    });
    if (image) return part.numbers.of(*image);
  }
  return std::nullopt;
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
  std::vector<SourceFile> files;
  impl_->merge_by<std::string>("SELECT path, size_bytes, modified_ns FROM files ORDER BY path",
                               [&](const std::string&, const Impl::Row& row) {
                                 SourceFile& file = files.emplace_back();
                                 row.columns.read(file.path, file.size_bytes, file.modified_ns);
                                 return true;
                               });
  keep_first_of_each(files, &SourceFile::path);
  return files;
}

std::vector<SourceFile> IndexReader::files_of(ImageId id) const {
  id = impl_->original(id);
  std::vector<ImageId> same = {id};
  const auto [begin, end] = impl_->copies.equal_range(id);
  for (auto copy = begin; copy != end; ++copy) same.push_back(copy->second);
  std::vector<SourceFile> files;
  for (const ImageId image : same) {
    append(impl_->part_of(image).pool.with([&](Connection& reading) {
      return source_files(
          reading.rows("SELECT path, size_bytes, modified_ns FROM files "
                       "WHERE image = (SELECT coalesce(first, id) FROM images WHERE id = ?) "
                       "ORDER BY path",
                       impl_->own_id(image)));
    }),
           files);
  }
  std::ranges::stable_sort(files, {}, &SourceFile::path);
  keep_first_of_each(files, &SourceFile::path);
  return files;
}

// The paths below a folder lie between its name with '/' and that with '0', the next character.
std::vector<std::string> IndexReader::known_paths(const std::string& path) const {
  const std::string name = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  std::vector<std::string> paths;
  impl_->merge_by<std::string>(
      "SELECT path FROM files WHERE path = ?1 "
      "UNION SELECT path FROM files WHERE path > ?2 AND path < ?3 "
      "UNION SELECT path FROM quarantine WHERE path = ?1 "
      "UNION SELECT path FROM quarantine WHERE path > ?2 AND path < ?3 ORDER BY path",
      [&](const std::string& known, const Impl::Row&) {
        if (paths.empty() || paths.back() != known) paths.push_back(known);
        return true;
      },
      bytes_of(path), bytes_of(name + '/'), bytes_of(name + '0'));
  return paths;
}

std::size_t IndexReader::files_below(const std::string& folder) const {
  const std::string name = folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  std::size_t files = 0;
  for (Impl::Part& part : impl_->parts) {
    files += part.pool.with([&](Connection& reading) {
      return reading
          .first<std::size_t>("SELECT count(*) FROM files WHERE path > ? AND path < ?",
                              bytes_of(name + '/'), bytes_of(name + '0'))
          .value();
    });
  }
  return files;
}

void IndexReader::for_each_entry(const std::string& folder, const std::string& after,
                                 const std::function<bool(const std::string&, bool)>& visit) const {
  const std::string name = folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  // Each folder ends a list of rows; the next one begins past all that is in it.
  const auto past = [](const std::string& of) { return of + '0'; };
  const bool is_after_folder = after.ends_with('/');
  std::optional<std::string> next = std::max(
      name + '/', is_after_folder ? past(after.substr(0, after.size() - 1)) : after + '\0');
  std::string last;  // which another database may have as well
  while (next) {
    const std::string from = *std::exchange(next, std::nullopt);
    impl_->merge_by<std::string>(
        "SELECT path FROM files WHERE path >= ? AND path < ? ORDER BY path",
        [&](std::string path, const Impl::Row&) {
          const std::size_t slash = path.find('/', name.size() + 1);
          const bool is_folder = slash != path.npos;
          if (is_folder) {
            path.resize(slash);
            next = past(path);
          }
          if (path == last) return true;
          last = path;
          if (!visit(path, is_folder)) {
            next.reset();
            return false;
          }
          return !is_folder;
        },
        bytes_of(from), bytes_of(past(name)));
  }
}

std::vector<SkippedFile> IndexReader::quarantine(std::size_t after, std::size_t count) const {
  std::vector<SkippedFile> files;
  impl_->merge_by<std::string>(
      "SELECT path, size_bytes, modified_ns, reason, detail FROM quarantine ORDER BY path",
      [&](const std::string&, const Impl::Row& row) {
        if (after > 0) {
          --after;
          return true;
        }
        if (files.size() == count) return false;
        SkippedFile& skipped = files.emplace_back();
        row.columns.read(skipped.file.path, skipped.file.size_bytes, skipped.file.modified_ns,
                         skipped.reason, skipped.detail);
        return true;
      });
  return files;
}

std::vector<IndexRoot> IndexReader::roots() const {
  std::vector<IndexRoot> roots;
  for (Impl::Part& part : impl_->parts) append(part.pool.with(roots_of), roots);
  std::ranges::stable_sort(roots, {}, &IndexRoot::path);
  keep_first_of_each(roots, &IndexRoot::path);
  return roots;
}

std::vector<RunRecord> IndexReader::runs(std::size_t count) const {
  std::vector<RunRecord> runs;
  for (Impl::Part& part : impl_->parts) {
    append(part.pool.with([&](Connection& reading) { return runs_of(reading, count); }), runs);
  }
  if (impl_->parts.size() > 1) {
    std::ranges::stable_sort(runs, std::greater<>(), &RunRecord::started_ns);
    runs.resize(std::min(runs.size(), count));
  }
  return runs;
}

void IndexReader::for_each_file(const std::function<void(const std::string&)>& visit) const {
  impl_->merge_by<std::string>("SELECT path FROM files ORDER BY path",
                               [&](const std::string& path, const Impl::Row&) {
                                 visit(path);
                                 return true;
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
  ByteWriter out;
  impl_->parts.front().pool.with([&](Connection& reading) {
    Rows codebook = reading.rows("SELECT hash FROM codebook");
    while (codebook.next()) put_blob(out, codebook.blob(0));
    const Settings settings = read_settings(reading);
    out.put_count(settings.size());
    for (const auto& [name, value] : settings) {
      out.put_text(name);
      out.put_text(value);
    }
  });
  std::vector<ContentHash> digests;
  for (Impl::Part& part : impl_->parts) append(part.pool.with(image_digests), digests);
  std::ranges::sort(digests);
  keep_first_of_each(digests, std::identity());  // of copies
  for (const ContentHash& digest : digests) out.put_array(digest.data(), digest.size());
  return to_hex(hash_content(out.view()));
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
      connection.rows("SELECT descriptor_size, words, projection, thresholds, cells FROM codebook");
  if (!rows.next()) return std::nullopt;
  return decode_named(connection, "codebook", 1, [&] {
    Codebook codebook{.descriptor_size = static_cast<std::size_t>(rows.integer(0)),
                      .words = decode_floats(rows.blob(1)),
                      .projection = decode_floats(rows.blob(2)),
                      .thresholds = decode_floats(rows.blob(3))};
    if (codebook.descriptor_size > 0) {
      codebook.cells = decode_cells(rows.blob(4), codebook.size(), codebook.descriptor_size);
    }
    return codebook;
  });
}

}  // namespace lookalike
