#include "storage/index_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/content_hash.h"
#include "storage/blobs.h"
#include "storage/schema.h"
#include "storage/shards.h"

namespace lookalike {
namespace {

// Length first, so that different sequences of fields differ in their bytes.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

// Sums of the digests of an image's postings, by the image's number in its database.
using PostingSums = std::vector<std::uint64_t>;

// Returns them for all postings, removed images included. A posting's digest is that of its
// signature, seeded with its word and its place in the image's run of postings.
PostingSums posting_sums(Connection& connection) {
  PostingSums sums;
  Rows rows = connection.rows("SELECT id, data FROM postings");
  while (rows.next()) {
    const std::int64_t row = rows.integer(0);
    const auto word = static_cast<std::uint32_t>(row);
    WordPostings postings;
    decode_named(connection, "postings of word", word,
                 [&] { decode_postings(rows.blob(1), postings, row); });
    std::uint32_t place = 0;
    for (std::size_t i = 0; i < postings.images.size(); ++i) {
      const ImageId image = postings.images[i];
      place = i > 0 && postings.images[i - 1] == image ? place + 1 : 0;
      if (sums.size() <= image) sums.resize(std::size_t{image} + 1);
      const std::uint64_t& signature = postings.signatures[i];
      std::array<std::uint8_t, sizeof signature> bytes{};
      std::memcpy(bytes.data(), &signature, sizeof signature);
      sums[image] += checksum(bytes, std::uint64_t{word} << 32U | place);
    }
  }
  return sums;
}

void add_image_digests(Connection& connection, std::vector<ContentHash>& digests) {
  const PostingSums sums = posting_sums(connection);
  Rows rows = connection.rows(
      "SELECT id, blank, data, content, width, height, pixel_count, pixel_sum, "
      "pixel_sum_of_squares FROM images LEFT JOIN histograms ON image = id ORDER BY id");
  while (rows.next()) {
    const auto id = static_cast<std::size_t>(rows.integer(0));
    const bool blank = rows.integer(1) != 0;
    ByteView histogram;
    if (!blank) {
      decode_named(connection, "histogram of image", rows.integer(0),
                   [&] { histogram = open_blob(rows.blob(2), rows.integer(0)); });
    }
    ByteWriter out;
    out.put<std::uint8_t>(blank ? 1 : 0);
    put_blob(out, histogram);
    put_blob(out, rows.blob(3));
    for (int column = 4; column < 9; ++column) out.put<std::int64_t>(rows.integer(column));
    out.put<std::uint64_t>(id < sums.size() ? sums[id] : 0);
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

std::size_t IndexReader::connections() const {
  return shards_->connections;
}

std::optional<std::string> IndexReader::derived(const std::string& name) const {
  return shards_->first().with([&](Connection& reading) { return read_derived(reading, name); });
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
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  for (const ContentHash& digest : digests) out.put_array(digest.data(), digest.size());
  return to_hex(hash_content(out.view()));
}

}  // namespace lookalike
