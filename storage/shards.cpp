#include "storage/shards.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "storage/inverted_index.h"
#include "storage/schema.h"
#include "storage/segments.h"

namespace lookalike {
namespace {

using Connections = std::vector<std::unique_ptr<Connection>>;

// Begins a transaction on every connection, all in one state. SQLite's default build has no call
// for that, so all begin again if the data version shows that something was published meanwhile.
void begin_reading(Connections& connections) {
  const auto data_version = [&] {
    return connections.front()->first<std::int64_t>("PRAGMA data_version").value();
  };
  const auto begin = [](const std::unique_ptr<Connection>& each) {
    each->execute("BEGIN");
    each->first<std::int64_t>("SELECT count(*) FROM segments");
  };
  while (true) {
    const std::int64_t before = data_version();
    // The first one last: its version is read outside a transaction.
    std::for_each(connections.rbegin(), connections.rend(), begin);
    if (data_version() == before) return;
    for (const auto& connection : connections) connection->execute("ROLLBACK");
  }
}

// Returns the segments, ascending. Throws Error(kStorage) for a damaged row, and for postings of a
// segment that is not listed: its images would be missing from all answers.
std::vector<std::int64_t> listed_segments(Connection& connection) {
  const std::string select =
      "SELECT id, " + is_row_intact("segments") + " FROM segments ORDER BY id";
  constexpr std::int64_t kLastSegment = (std::int64_t{1} << 31) - 2;  // see postings_id()
  constexpr const char* kUnlisted = "SELECT 1 FROM postings WHERE id >= ? AND id < ? LIMIT 1";
  std::vector<std::int64_t> segments;
  std::int64_t from = std::numeric_limits<std::int64_t>::min();  // where the next one may begin
  const auto require_nothing_until = [&](std::int64_t end) {
    if (from >= end || !connection.first<int>(kUnlisted, from, end)) return;
    throw Error(
        ErrorKind::kStorage,
        fmt::format("{}: has postings of a segment that is not listed: restore a backup, or "
                    "index anew",
                    printable(connection.path())));
  };
  Rows listed = connection.rows(select);
  while (listed.next()) {
    const std::int64_t id = listed.integer(0);
    if (listed.integer(1) == 0 || id < 0 || id > kLastSegment) {
      fail_for_damaged_rows(connection, "segments");
    }
    require_nothing_until(postings_id(id, 0));
    from = postings_id(id + 1, 0);
    segments.push_back(id);
  }
  require_nothing_until(std::numeric_limits<std::int64_t>::max());
  return segments;
}

}  // namespace

Shard::Shard(ImageNumbers its_numbers, const std::filesystem::path& database, std::size_t count)
    : numbers(its_numbers) {
  Connections connections;
  for (std::size_t i = 0; i < count; ++i) {
    connections.push_back(std::make_unique<Connection>(open_for_reading(database)));
  }
  begin_reading(connections);
  first_ = connections.front().get();
  for (auto& connection : connections) pool.add(std::move(connection));
}

Shard::Shard(Connection connection) {
  auto only = std::make_unique<Connection>(std::move(connection));
  first_ = only.get();
  pool.add(std::move(only));
}

Shards::Shards(const std::vector<std::filesystem::path>& databases) {
  require(!databases.empty(), "IndexReader: no database");
  constexpr std::size_t kPerCore = 4;  // so that a core reads while others wait for the disk
  constexpr std::size_t kMaxConnections = 16;  // each has files and a page cache open
  constexpr std::size_t kCacheKib = 16384;     // shared by the first connections of all databases
  const std::size_t count = databases.size();
  connections = std::min(kPerCore * core_count(),
                         std::max<std::size_t>(kMaxConnections / count, count == 1 ? 1 : 2));
  for (std::size_t i = 0; i < count; ++i) {
    const ImageNumbers numbers{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(i)};
    Shard& shard = all.emplace_back(numbers, databases[i], connections);
    check_image_numbers(shard.connection());
    shard.connection().execute(fmt::format("PRAGMA cache_size = -{}", kCacheKib / count).c_str());
  }
  if (count > 1) {
    check_together();
    find_copies();
  }
  load_segments();
}

std::shared_ptr<Shards> Shards::for_writing(const std::filesystem::path& database) {
  std::shared_ptr<Shards> shards(new Shards);
  shards->lock.emplace(database);
  Shard& shard = shards->all.emplace_back(open_for_writing(database));
  shards->lock->name_file(database);
  check_image_numbers(shard.connection());
  return shards;
}

void Shards::check_together() {
  Connection& leading = first().connection();
  const Settings settings = read_settings(leading);
  for (auto shard = all.begin(); shard != all.end(); ++shard) {
    Connection& own = shard->connection();
    const std::string name = printable(own.path());
    for (auto earlier = all.begin(); earlier != shard; ++earlier) {
      if (std::filesystem::equivalent(earlier->connection().path(), own.path())) {
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
                  fmt::format("{}: cannot be searched together with {}: these settings differ: {}",
                              name, printable(leading.path()), fmt::join(names, ", ")));
    }
    const auto last = own.first<std::uint64_t>(
                             "SELECT max(coalesce((SELECT max(id) FROM images), 0), "
                             "coalesce((SELECT max(image) FROM tombstones), 0))")
                          .value();
    if ((last + 1) * all.size() > std::numeric_limits<ImageId>::max()) {
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: is too large to be searched together with {} others", name,
                              all.size() - 1));
    }
  }
}

void Shards::find_copies() {
  std::optional<std::pair<ContentHash, ImageId>> last;
  merge_query<ContentHash>("SELECT content, id FROM images ORDER BY content",
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

void Shards::load_segments() {
  removed.clear();
  const auto remove = [&](ImageId image) {
    if (removed.size() <= image) removed.resize(std::size_t{image} + 1);
    removed[image] = true;
  };
  for (Shard& shard : all) {
    Connection& reading = shard.connection();
    shard.segments = listed_segments(reading);
    const std::string select =
        "SELECT image, " + is_row_intact("tombstones") + " FROM tombstones ORDER BY image DESC";
    Rows tombstones = reading.rows(select);
    while (tombstones.next()) {
      if (tombstones.integer(1) == 0) fail_for_damaged_rows(reading, "tombstones");
      remove(shard.numbers.of(static_cast<ImageId>(tombstones.integer(0))));
    }
  }
  for (const auto& [copy, original] : originals) remove(copy);
  is_loaded = true;
}

}  // namespace lookalike
