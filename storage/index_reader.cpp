#include "storage/index_reader.h"

#include <algorithm>

#include "base/content_hash.h"
#include "storage/blobs.h"
#include "storage/shards.h"

namespace lookalike {
namespace {

// Length first, so that different sequences of fields differ in their bytes.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

void add_image_digests(Connection& connection, std::vector<ContentHash>& digests) {
  Rows rows = connection.rows(
      "SELECT id, blank, histograms.data, forward.data, content, width, height, "
      "pixel_count, pixel_sum, pixel_sum_of_squares "
      "FROM images JOIN statistics ON statistics.image = id "
      "LEFT JOIN histograms ON histograms.image = id "
      "LEFT JOIN forward ON forward.image = id ORDER BY id");
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
}

}  // namespace

IndexReader::IndexReader(const std::filesystem::path& database)
    : IndexReader(std::vector<std::filesystem::path>{database}) {}

IndexReader::IndexReader(const std::vector<std::filesystem::path>& databases)
    : IndexReader(std::make_shared<Shards>(databases)) {}

IndexReader::IndexReader(const std::shared_ptr<Shards>& shards)
    : InvertedIndex(shards), Catalogue(shards), shards_(shards) {}

Connection& IndexReader::connection() const {
  return shards_->first().connection();
}

void IndexReader::segments_changed() {
  shards_->is_loaded = false;
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return shards_->first().with([&](Connection& reading) {
    return reading.first<std::string>("SELECT value FROM derived WHERE name = ?", name);
  });
}

// XXH3-128 over the codebook's hash, the settings by name, and the sorted digests of the live
// images.
std::string IndexReader::content_hash() const {
  ByteWriter out;
  shards_->first().with([&](Connection& reading) {
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
  for (Shard& shard : shards_->all) {
    shard.with([&](Connection& reading) { add_image_digests(reading, digests); });
  }
  std::ranges::sort(digests);
  const auto copies = std::ranges::unique(digests);
  digests.erase(copies.begin(), copies.end());
  for (const ContentHash& digest : digests) out.put_array(digest.data(), digest.size());
  return to_hex(hash_content(out.view()));
}

}  // namespace lookalike
