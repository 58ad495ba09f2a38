#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "storage/index_types.h"
#include "storage/sqlite.h"
#include "storage/writer_lock.h"

namespace lookalike {

// A database of an index, read over connections that all see the same state. `numbers` maps its row
// ids to ImageIds of the whole index.
class Shard {
 public:
  // Opens `count` >= 1 connections to the last published state. Throws as open_for_reading().
  Shard(ImageNumbers its_numbers, const std::filesystem::path& database, std::size_t count);
  explicit Shard(Connection connection);

  // Calls work(connection) with a connection of this thread alone; waits for a free one. Must not
  // be nested.
  template <typename Work>
  auto with(const Work& work) {
    const Pool<Connection>::Lease reading(pool);
    return work(*reading);
  }
  // For a single thread, while no connection is lent.
  Connection& connection() { return *first_; }

  const ImageNumbers numbers{};
  Pool<Connection> pool;
  std::vector<std::int64_t> segments{};  // see Shards::ensure_segments()

 private:
  Connection* first_ = nullptr;
};

// The opened databases of an index, shared by an InvertedIndex and a Catalogue.
class Shards {
 public:
  // Throws as IndexReader.
  explicit Shards(const std::vector<std::filesystem::path>& databases);
  // Creates or opens the database and holds its WriterLock.
  static std::shared_ptr<Shards> for_writing(const std::filesystem::path& database);

  Shard& first() { return all.front(); }
  Shard& of(ImageId image) { return all[image % all.size()]; }
  std::int64_t own_id(ImageId image) const { return static_cast<std::int64_t>(image / all.size()); }
  // Returns the first image with the same content: the image itself unless it is a copy.
  ImageId original(ImageId image) const {
    const auto copy = originals.find(image);
    return copy == originals.end() ? image : copy->second;
  }
  // Reads the segments and tombstones unless they are current.
  void ensure_segments() {
    if (!is_loaded) load_segments();
  }

  // A row of one database while all are read together.
  struct Row {
    const Shard& shard;
    Connection& reading;
    const Rows& columns;

    ImageId image(int column) const {
      return shard.numbers.of(static_cast<ImageId>(columns.integer(column)));
    }
  };
  // Merges the rows that open(shard, connection) returns for each database, ascending by their
  // first column, a Key; ties are in the order of the databases. Calls visit(key, row) until it
  // returns false.
  template <typename Key, typename Open, typename Visit>
  void merge_rows(const Open& open, const Visit& visit) {
    struct Cursor {
      Cursor(Shard& shard, const Open& open_rows)
          : lease(shard.pool), rows(open_rows(shard, *lease)), row{shard, *lease, rows} {}
      Pool<Connection>::Lease lease;
      Rows rows;
      Row row;
    };
    std::deque<Cursor> cursors;
    std::set<std::pair<Key, std::size_t>> next;
    const auto advance = [&](std::size_t i) {
      if (!cursors[i].rows.next()) return;
      Key key{};
      cursors[i].rows.read(key);
      next.emplace(std::move(key), i);
    };
    for (Shard& shard : all) {
      cursors.emplace_back(shard, open);
      advance(cursors.size() - 1);
    }
    while (!next.empty()) {
      const auto [key, i] = std::move(next.extract(next.begin()).value());
      if (!visit(key, cursors[i].row)) return;
      advance(i);
    }
  }
  // Merges the rows of a query, to which the values are bound.
  template <typename Key, typename Visit, typename... Values>
  void merge_query(const char* select, const Visit& visit, const Values&... values) {
    merge_rows<Key>(
        [&](const Shard&, Connection& reading) { return reading.rows(select, values...); }, visit);
  }

  std::optional<WriterLock> lock{};  // released after the connections are closed
  std::deque<Shard> all{};
  std::size_t connections = 1;  // to each database
  bool is_loaded = false;       // the segments of all shards and `removed` are current
  std::vector<bool> removed{};  // see InvertedIndex::removed()
  std::unordered_map<ImageId, ImageId> originals{};    // by copy in a later database
  std::unordered_multimap<ImageId, ImageId> copies{};  // by original

 private:
  Shards() = default;
  void check_together();
  void find_copies();
  void load_segments();
};

}  // namespace lookalike
