#include "storage/catalogue.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/page_name.h"
#include "storage/schema.h"
#include "storage/shards.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

const std::string& select_images() {
  static const std::string select =
      "SELECT id, content, width, height, blank, feature_count, pixel_count, pixel_sum, "
      "pixel_sum_of_squares, page, coalesce(first, id), "
      "coalesce((SELECT max(page) FROM images AS others "
      "WHERE others.first = coalesce(images.first, images.id)), 1), " +
      is_row_intact("images") + " FROM images ";
  return select;
}

[[noreturn]] void fail_for_image(Connection& reading, std::int64_t own_id, std::string_view what) {
  throw Error(ErrorKind::kStorage, fmt::format("{}: image {}: {}: restore a backup, or index anew",
                                               reading.path(), own_id, what));
}

// Reads a row of select_images(), without the paths of copies. Throws Error(kStorage) if it does
// not match its checksum, or the image has no path.
StoredImage image_of(const Shards::Row& row) {
  StoredImage image;
  ImageId first = 0;
  bool is_intact = false;
  row.columns.read(image.id, image.content, image.width, image.height, image.blank,
                   image.feature_count, image.sums.count, image.sums.sum, image.sums.sum_of_squares,
                   image.page, first, image.pages, is_intact);
  if (!is_intact) fail_for_image(row.reading, image.id, "its row is damaged");
  Rows paths = row.reading.rows("SELECT path FROM files WHERE image = ? ORDER BY path", first);
  while (paths.next()) image.paths.push_back(page_name(std::string(paths.text(0)), image.page));
  if (image.paths.empty()) fail_for_image(row.reading, image.id, "it has no file");
  image.id = row.shard.numbers.of(image.id);
  return image;
}

std::optional<StoredImage> image_without_copies(Shards& shards, ImageId id) {
  Shard& shard = shards.of(id);
  return shard.with([&](Connection& reading) -> std::optional<StoredImage> {
    Rows rows = reading.rows(select_images() + "WHERE id = ?", shards.own_id(id));
    if (!rows.next()) return std::nullopt;
    return image_of({shard, reading, rows});
  });
}

template <typename T>
void append(std::vector<T> from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Sorts stably by a key and keeps the first of those with equal keys.
template <typename T, typename Key>
void sort_and_keep_first(std::vector<T>& values, Key key) {
  std::ranges::stable_sort(values, {}, key);
  const auto has_key_of = [&](const T& one, const T& other) {
    return std::invoke(key, one) == std::invoke(key, other);
  };
  values.erase(std::unique(values.begin(), values.end(), has_key_of), values.end());
}

void add_paths_of_copies(Shards& shards, StoredImage& image) {
  const auto [begin, end] = shards.copies.equal_range(image.id);
  if (begin == end) return;
  for (auto copy = begin; copy != end; ++copy) {
    StoredImage other = image_without_copies(shards, copy->second).value();
    image.pages = std::max(image.pages, other.pages);
    append(std::move(other.paths), image.paths);
  }
  sort_and_keep_first(image.paths, std::identity());
}

void add_counts(Connection& reading, IndexCounts& total) {
  Rows rows = reading.rows(
      "SELECT count(*), sum(blank), sum(feature_count), "
      "(SELECT count(*) FROM files), (SELECT count(*) FROM quarantine), "
      "(SELECT sum(word_count) FROM codebook), (SELECT sum(posting_count) FROM segments), "
      "(SELECT count(*) FROM segments), (SELECT count(*) FROM withheld) FROM images");
  rows.next();
  IndexCounts counts;
  rows.read(counts.images, counts.blank, counts.features, counts.files, counts.quarantined,
            counts.words, counts.postings, counts.segments, counts.withheld);
  total.images += counts.images;
  total.blank += counts.blank;
  total.files += counts.files;
  total.quarantined += counts.quarantined;
  total.withheld += counts.withheld;
  total.features += counts.features;
  total.words = counts.words;  // all databases have the same codebook
  total.postings += counts.postings;
  total.segments += counts.segments;
}

void expect_intact_rows(Connection& reading, const std::string& table) {
  Rows damaged = reading.rows("SELECT 1 FROM " + table + " WHERE NOT " + is_row_intact(table));
  if (damaged.next()) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: table {}: a row is damaged: restore a backup, or index anew",
                            reading.path(), table));
  }
}

// A run writes these rows again, which would hide damage in them.
std::vector<IndexRoot> roots_of(Connection& reading) {
  for (const char* table : {"roots", "devices", "withheld"}) expect_intact_rows(reading, table);
  auto roots = read_all(reading.rows("SELECT path, scanned_ns FROM roots ORDER BY path"),
                        &IndexRoot::path, &IndexRoot::scanned_ns);
  for (IndexRoot& root : roots) {
    root.devices =
        read_all(reading.rows("SELECT path, device, file_system FROM devices WHERE root = ? "
                              "ORDER BY path",
                              bytes_of(root.path)),
                 &FolderDevice::path, &FolderDevice::device, &FolderDevice::file_system);
    Rows withheld =
        reading.rows("SELECT path FROM withheld WHERE root = ? ORDER BY path", bytes_of(root.path));
    while (withheld.next()) root.withheld.emplace_back(withheld.text(0));
  }
  return roots;
}

std::optional<ImageId> image_at(Connection& reading, const std::string& path) {
  const auto image_of_file = [&](const std::string& file) -> std::optional<ImageId> {
    Rows rows = reading.rows(
        "SELECT image, images.id IS NOT NULL FROM files LEFT JOIN images ON images.id = image "
        "WHERE path = ?",
        bytes_of(file));
    if (!rows.next()) return std::nullopt;
    ImageId image = 0;
    bool is_known = false;
    rows.read(image, is_known);
    if (!is_known) fail_for_image(reading, image, "it has a file, but no row");
    return image;
  };
  const std::optional<ImageId> image = image_of_file(path);
  const Page page = page_of(path);
  if (image || page.file == path) return image;
  const std::optional<ImageId> first = image_of_file(page.file);
  if (!first || page.number == 1) return first;
  return reading.first<ImageId>("SELECT id FROM images WHERE first = ? AND page = ?", *first,
                                page.number);
}

// The range of all paths below a folder, excluding its ends: the name with '/', and with '0', the
// next character.
struct Below {
  explicit Below(const std::string& folder)
      : name(folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder) {}
  std::string from() const { return name + '/'; }
  std::string to() const { return name + '0'; }

  std::string name;
};

std::vector<RunRecord> read_runs(Connection& reading, std::size_t count) {
  return read_all(reading.rows("SELECT id, command, started_ns, elapsed_seconds, outcome, document "
                               "FROM runs ORDER BY id DESC LIMIT ?",
                               count),
                  &RunRecord::id, &RunRecord::command, &RunRecord::started_ns,
                  &RunRecord::elapsed_seconds, &RunRecord::outcome, &RunRecord::document);
}

// Marks runs that never ended as killed, unless a process is writing the database.
void mark_killed(Connection& reading, std::vector<RunRecord>& runs) {
  const auto is_running = [](const RunRecord& run) { return run.outcome == "running"; };
  if (std::ranges::none_of(runs, is_running) || current_writer(reading.path())) return;
  // A run may have ended since this connection began to read.
  Connection now = open_for_reading(reading.path());
  const std::vector<RunRecord> latest = read_runs(now, std::numeric_limits<std::int32_t>::max());
  for (RunRecord& run : runs) {
    if (!is_running(run)) continue;
    const auto ended = std::ranges::find(latest, run.id, &RunRecord::id);
    if (ended != latest.end()) run = *ended;
    if (is_running(run)) run.outcome = "killed";
  }
}

}  // namespace

Catalogue::Catalogue(std::shared_ptr<Shards> shards) : shards_(std::move(shards)) {}

IndexCounts Catalogue::counts() const {
  IndexCounts total;
  for (Shard& shard : shards_->all) {
    shard.with([&](Connection& reading) { add_counts(reading, total); });
  }
  for (const auto& [each_copy, original] : shards_->originals) {
    const ImageId copy = each_copy;
    shards_->of(copy).with([&](Connection& reading) {
      Rows rows = reading.rows("SELECT blank, feature_count FROM images WHERE id = ?",
                               shards_->own_id(copy));
      rows.next();
      --total.images;
      total.blank -= static_cast<std::uint64_t>(rows.integer(0));
      total.features -= static_cast<std::uint64_t>(rows.integer(1));
    });
  }
  return total;
}

std::optional<StoredImage> Catalogue::image(ImageId image) const {
  std::optional<StoredImage> found = image_without_copies(*shards_, shards_->original(image));
  if (found) add_paths_of_copies(*shards_, *found);
  return found;
}

StoredImage Catalogue::existing_image(ImageId image) const {
  if (std::optional<StoredImage> found = this->image(image)) return *std::move(found);
  fail_for_image(shards_->of(image).connection(), shards_->own_id(image), "its row is lost");
}

std::vector<StoredImage> Catalogue::images_after(ImageId image, std::size_t count) const {
  std::vector<StoredImage> images;
  if (count == 0) return images;
  // Rows ascending by their own ids, ties by database, ascend by ImageId.
  shards_->merge_rows<std::int64_t>(
      [&](const Shard& shard, Connection& reading) {
        // The last row id whose ImageId is not above `image`; 0 without one, since ids start at 1.
        const std::uint32_t place = shard.numbers.place;
        const std::int64_t before = image < place ? 0 : shards_->own_id(image - place);
        return reading.rows(select_images() + "WHERE id > ? ORDER BY id", before);
      },
      [&](std::int64_t, const Shards::Row& row) {
        const ImageId number = row.image(0);
        if (shards_->original(number) == number) images.push_back(image_of(row));
        return images.size() < count;
      });
  for (StoredImage& each : images) add_paths_of_copies(*shards_, each);
  return images;
}

void Catalogue::for_each_image(const std::function<void(const StoredImage&)>& visit) const {
  constexpr std::size_t kImages = 256;  // no connection is taken while the visitor runs
  for (auto images = images_after(0, kImages); !images.empty();
       images = images_after(images.back().id, kImages)) {
    std::ranges::for_each(images, visit);
  }
}

std::optional<ImageId> Catalogue::find(const std::string& path) const {
  for (Shard& shard : shards_->all) {
    const auto id = shard.with([&](Connection& reading) { return image_at(reading, path); });
    if (id) return shards_->original(shard.numbers.of(*id));
  }
  return std::nullopt;
}

std::optional<ImageId> Catalogue::find(const ContentHash& content) const {
  for (Shard& shard : shards_->all) {
    const auto id = shard.with([&](Connection& reading) {
      return reading.first<ImageId>("SELECT id FROM images WHERE content = ?", content);
    });
    if (id) return shard.numbers.of(*id);
  }
  return std::nullopt;
}

std::vector<SourceFile> Catalogue::files() const {
  std::vector<SourceFile> files;
  shards_->merge_query<std::string>(
      "SELECT path, size_bytes, modified_ns, changed_ns, inode, links FROM files ORDER BY path",
      [&](const std::string& path, const Shards::Row& row) {
        if (!files.empty() && files.back().path == path) return true;
        SourceFile& file = files.emplace_back();
        row.columns.read(file.path, file.size_bytes, file.modified_ns, file.changed_ns, file.inode,
                         file.links);
        return true;
      });
  return files;
}

std::vector<SourceFile> Catalogue::files_of(ImageId image) const {
  image = shards_->original(image);
  std::vector<ImageId> same = {image};
  const auto [begin, end] = shards_->copies.equal_range(image);
  for (auto copy = begin; copy != end; ++copy) same.push_back(copy->second);
  std::vector<SourceFile> files;
  for (const ImageId each : same) {
    append(shards_->of(each).with([&](Connection& reading) {
      return read_all(
          reading.rows("SELECT path, size_bytes, modified_ns, changed_ns, inode, links FROM files "
                       "WHERE image = (SELECT coalesce(first, id) FROM images WHERE id = ?) "
                       "ORDER BY path",
                       shards_->own_id(each)),
          &SourceFile::path, &SourceFile::size_bytes, &SourceFile::modified_ns,
          &SourceFile::changed_ns, &SourceFile::inode, &SourceFile::links);
    }),
           files);
  }
  sort_and_keep_first(files, &SourceFile::path);
  if (files.empty()) {
    fail_for_image(shards_->of(image).connection(), shards_->own_id(image), "it has no file");
  }
  return files;
}

void Catalogue::for_each_file(
    const std::function<void(const std::string&, std::int64_t)>& visit) const {
  shards_->merge_query<std::string>("SELECT path, modified_ns FROM files ORDER BY path",
                                    [&](const std::string& path, const Shards::Row& row) {
                                      visit(path, row.columns.integer(1));
                                      return true;
                                    });
}

std::vector<std::string> Catalogue::known_paths(const std::string& path) const {
  const Below below(path);
  std::vector<std::string> paths;
  shards_->merge_query<std::string>(
      "SELECT path FROM files WHERE path = ?1 "
      "UNION SELECT path FROM files WHERE path > ?2 AND path < ?3 "
      "UNION SELECT path FROM quarantine WHERE path = ?1 "
      "UNION SELECT path FROM quarantine WHERE path > ?2 AND path < ?3 ORDER BY path",
      [&](const std::string& known, const Shards::Row&) {
        if (paths.empty() || paths.back() != known) paths.push_back(known);
        return true;
      },
      bytes_of(path), bytes_of(below.from()), bytes_of(below.to()));
  return paths;
}

std::size_t Catalogue::files_below(const std::string& folder) const {
  const Below below(folder);
  std::size_t files = 0;
  for (Shard& shard : shards_->all) {
    files += shard.with([&](Connection& reading) {
      return reading
          .first<std::size_t>("SELECT count(*) FROM files WHERE path > ? AND path < ?",
                              bytes_of(below.from()), bytes_of(below.to()))
          .value();
    });
  }
  return files;
}

void Catalogue::for_each_entry(const std::string& folder, const std::string& after,
                               const std::function<bool(const std::string&, bool)>& visit) const {
  const Below below(folder);
  // A subfolder ends a query; the next query begins past its content.
  std::optional<std::string> next =
      std::max(below.from(), after.ends_with('/') ? Below(after).to() : after + '\0');
  std::string last;  // several databases may have it
  while (next) {
    const std::string from = *std::exchange(next, std::nullopt);
    shards_->merge_query<std::string>(
        "SELECT path FROM files WHERE path >= ? AND path < ? ORDER BY path",
        [&](std::string path, const Shards::Row&) {
          const std::size_t slash = path.find('/', below.from().size());
          const bool is_folder = slash != path.npos;
          if (is_folder) {
            path.resize(slash);
            next = Below(path).to();
          }
          if (path == last) return true;
          last = path;
          if (!visit(path, is_folder)) {
            next.reset();
            return false;
          }
          return !is_folder;
        },
        bytes_of(from), bytes_of(below.to()));
  }
}

std::vector<SkippedFile> Catalogue::quarantine(std::size_t after, std::size_t count) const {
  std::vector<SkippedFile> files;
  shards_->merge_query<std::string>(
      "SELECT path, size_bytes, modified_ns, changed_ns, inode, reason, detail FROM quarantine "
      "ORDER BY path",
      [&](const std::string&, const Shards::Row& row) {
        if (after > 0) {
          --after;
          return true;
        }
        if (files.size() == count) return false;
        SkippedFile& skipped = files.emplace_back();
        row.columns.read(skipped.file.path, skipped.file.size_bytes, skipped.file.modified_ns,
                         skipped.file.changed_ns, skipped.file.inode, skipped.reason,
                         skipped.detail);
        return true;
      });
  return files;
}

std::vector<IndexRoot> Catalogue::roots() const {
  std::vector<IndexRoot> roots;
  for (Shard& shard : shards_->all) append(shard.with(roots_of), roots);
  sort_and_keep_first(roots, &IndexRoot::path);
  return roots;
}

std::vector<RunRecord> Catalogue::runs(std::size_t count) const {
  std::vector<RunRecord> runs;
  for (Shard& shard : shards_->all) {
    append(shard.with([&](Connection& reading) {
      std::vector<RunRecord> known = read_runs(reading, count);
      mark_killed(reading, known);
      return known;
    }),
           runs);
  }
  if (shards_->all.size() > 1) {
    std::ranges::stable_sort(runs, std::greater<>(), &RunRecord::started_ns);
    runs.resize(std::min(runs.size(), count));
  }
  return runs;
}

}  // namespace lookalike
