#include "storage/inverted_index.h"

#include <algorithm>
#include <iterator>

#include "base/artefacts.h"
#include "base/error.h"
#include "storage/schema.h"
#include "storage/segments.h"
#include "storage/shards.h"
#include "storage/stored_features.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

// True if the matrices have the sizes that the numbers beside them say.
bool fits_together(const Codebook& codebook, std::int64_t word_count) {
  const std::size_t d = codebook.descriptor_size;
  return d > 0 && d <= kMaxDescriptorSize && word_count > 0 && codebook.words.size() % d == 0 &&
         codebook.words.size() / d == static_cast<std::size_t>(word_count) &&
         codebook.projection.size() == kSignatureBits * d &&
         codebook.thresholds.size() == codebook.size() * kSignatureBits;
}

}  // namespace

InvertedIndex::InvertedIndex(std::shared_ptr<Shards> shards) : shards_(std::move(shards)) {}

Settings InvertedIndex::settings() const {
  return shards_->first().with(read_settings);
}

std::optional<Codebook> InvertedIndex::stored_codebook() const {
  return shards_->first().with(read_stored_codebook);
}

Codebook InvertedIndex::codebook() const {
  if (std::optional<Codebook> codebook = stored_codebook()) return std::move(*codebook);
  const std::string path = shards_->first().connection().path();
  const std::optional<std::string> writer = current_writer(path);
  throw Error(ErrorKind::kInput,
              path + (writer ? ": is being filled by " + *writer + " and holds no images yet"
                             : ": holds no images yet: run `lookalike index --images DIR`"));
}

void InvertedIndex::for_each_list(std::uint32_t word,
                                  const std::function<void(const EncodedPostings&)>& visit) const {
  shards_->ensure_segments();
  const std::size_t count = shards_->all.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Words begin with different databases, so that threads do not wait for the same one.
    Shard& shard = shards_->all[(word + i) % count];
    shard.with([&](Connection& reading) {
      for (const std::int64_t segment : shard.segments) {
        const std::int64_t id = postings_id(segment, word);
        Rows rows = reading.rows("SELECT data FROM postings WHERE id = ?", id);
        if (!rows.next()) continue;
        visit(decode_named(reading, "postings of word", word,
                           [&] { return open_postings(rows.blob(0), id, shard.numbers); }));
      }
    });
  }
}

void InvertedIndex::for_each_list(
    std::span<const std::uint32_t> words,
    const std::function<void(std::size_t, const EncodedPostings&)>& visit) const {
  if (words.empty()) return;
  constexpr std::size_t kRowsPerLookup = 8;  // that a walk may pass for each word; an estimate
  if (words.back() - words.front() >= kRowsPerLookup * words.size()) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for_each_list(words[i], [&](const EncodedPostings& list) { visit(i, list); });
    }
    return;
  }
  shards_->ensure_segments();
  const std::size_t count = shards_->all.size();
  for (std::size_t shift = 0; shift < count; ++shift) {
    // As above, threads begin with different databases.
    Shard& shard = shards_->all[(words.front() / words.size() + shift) % count];
    shard.with([&](Connection& reading) {
      for (const std::int64_t segment : shard.segments) {
        Rows rows =
            reading.rows("SELECT id, data FROM postings WHERE id BETWEEN ? AND ?",
                         postings_id(segment, words.front()), postings_id(segment, words.back()));
        for (std::size_t i = 0; rows.next();) {
          const std::int64_t id = rows.integer(0);
          while (postings_id(segment, words[i]) < id) ++i;
          if (postings_id(segment, words[i]) != id) continue;
          visit(i, decode_named(reading, "postings of word", words[i],
                                [&] { return open_postings(rows.blob(1), id, shard.numbers); }));
        }
      }
    });
  }
}

const std::vector<bool>& InvertedIndex::removed() const {
  shards_->ensure_segments();
  return shards_->removed;
}

std::vector<float> InvertedIndex::norms() const {
  std::vector<float> norms;
  for (Shard& shard : shards_->all) {
    shard.with([&](Connection& reading) {
      Rows rows = reading.rows("SELECT id, norm FROM images WHERE blank = 0");
      while (rows.next()) {
        const ImageId image = shard.numbers.of(static_cast<ImageId>(rows.integer(0)));
        if (shards_->original(image) != image) continue;
        if (norms.size() <= image) norms.resize(std::size_t{image} + 1, kNoNorm);
        norms[image] = static_cast<float>(rows.real(1));
      }
    });
  }
  return norms;
}

std::vector<ImageId> InvertedIndex::images_by_content() const {
  std::vector<ImageId> images;
  shards_->merge_query<ContentHash>(
      "SELECT content, id FROM images WHERE blank = 0 ORDER BY content",
      [&](const ContentHash&, const Shards::Row& row) {
        const ImageId image = row.image(1);
        if (shards_->original(image) == image) images.push_back(image);
        return true;
      });
  return images;
}

ContentHash InvertedIndex::content(ImageId image) const {
  return shards_->of(image).with([&](Connection& reading) {
    return reading
        .first<ContentHash>("SELECT content FROM images WHERE id = ?", shards_->own_id(image))
        .value();
  });
}

StoredFeatures InvertedIndex::features(ImageId image) const {
  return shards_->of(image).with([&](Connection& reading) {
    const std::int64_t id = shards_->own_id(image);
    Rows rows = reading.rows("SELECT data FROM histograms WHERE image = ?", id);
    if (!rows.next()) return StoredFeatures{};
    return decode_named(reading, "histogram of image", id,
                        [&] { return decode_histogram(rows.blob(0), id); });
  });
}

std::vector<std::vector<IndexedFeature>> InvertedIndex::features_with_signatures(
    std::span<const ImageId> images) const {
  std::vector<StoredFeatures> records;
  records.reserve(images.size());
  for (const ImageId image : images) records.push_back(features(image));
  const auto signatures = read_signatures(
      [&](std::uint32_t word, const auto& visit) { for_each_list(word, visit); }, images, records);
  std::vector<std::vector<IndexedFeature>> joined;
  joined.reserve(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    joined.push_back(with_signatures(records[i], signatures[i]));
  }
  return joined;
}

template <typename Visit>
void InvertedIndex::for_each_copy(ImageId image, const Visit& visit) const {
  std::vector<ImageId> copies = {image};
  const auto [first, last] = shards_->copies.equal_range(image);
  std::transform(first, last, std::back_inserter(copies),
                 [](const auto& copy) { return copy.second; });
  for (const ImageId copy : copies) {
    Shard& shard = shards_->of(copy);
    shard.with([&](Connection& reading) { visit(reading, shards_->own_id(copy), shard); });
  }
}

std::vector<Neighbour> InvertedIndex::neighbours(ImageId image) const {
  std::vector<Neighbour> all;
  for_each_copy(image, [&](Connection& reading, std::int64_t own, const Shard& shard) {
    for (Neighbour edge : read_neighbours(reading, own)) {
      edge.image = shards_->original(shard.numbers.of(edge.image));
      if (edge.image != image) add_neighbour(edge, all);
    }
  });
  return all;
}

std::vector<PrintEdge> InvertedIndex::prints(ImageId image) const {
  std::vector<PrintEdge> all;
  for_each_copy(image, [&](Connection& reading, std::int64_t own, const Shard& shard) {
    for (PrintEdge& edge : read_prints(reading, own)) {
      edge.image = shards_->original(shard.numbers.of(edge.image));
      if (edge.image != image) add_print(std::move(edge), all);
    }
  });
  return all;
}

std::vector<ImageId> InvertedIndex::images_with_prints() const {
  std::vector<ImageId> images;
  shards_->merge_query<std::int64_t>("SELECT image FROM prints ORDER BY image",
                                     [&](std::int64_t, const Shards::Row& row) {
                                       images.push_back(shards_->original(row.image(0)));
                                       return true;
                                     });
  std::ranges::sort(images);
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return images;
}

std::vector<ImageId> InvertedIndex::represented_images() const {
  return shards_->first().with(
      [](Connection& reading) { return lookalike::represented_images(reading); });
}

std::vector<ImageId> InvertedIndex::images_to_compare() const {
  return shards_->first().with([](Connection& reading) {
    std::vector<ImageId> images;
    Rows rows = reading.rows("SELECT id FROM images WHERE id > ? AND feature_count > 0 ORDER BY id",
                             last_compared(reading));
    while (rows.next()) images.push_back(static_cast<ImageId>(rows.integer(0)));
    return images;
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
  static const std::string select =
      "SELECT name, value, " + is_row_intact("settings") + " FROM settings";
  Rows rows = connection.rows(select);
  Settings settings;
  while (rows.next()) {
    if (rows.integer(2) == 0) {
      throw Error(ErrorKind::kStorage, connection.path() +
                                           ": the settings are damaged: restore a "
                                           "backup, or index anew");
    }
    settings.emplace(rows.text(0), rows.text(1));
  }
  return settings;
}

std::optional<Codebook> read_stored_codebook(Connection& connection) {
  Rows rows = connection.rows(
      "SELECT descriptor_size, words, projection, thresholds, cells, word_count FROM codebook");
  if (!rows.next()) return std::nullopt;
  return decode_named(connection, "codebook", 1, [&] {
    Codebook codebook{.descriptor_size = static_cast<std::size_t>(rows.integer(0)),
                      .words = decode_floats(rows.blob(1)),
                      .projection = decode_floats(rows.blob(2)),
                      .thresholds = decode_floats(rows.blob(3))};
    if (!fits_together(codebook, rows.integer(5))) {
      throw Error(ErrorKind::kStorage, "has parts that do not fit each other");
    }
    codebook.cells = decode_cells(rows.blob(4), codebook.size(), codebook.descriptor_size);
    return codebook;
  });
}

std::optional<std::size_t> read_word_count(Connection& connection) {
  Rows rows = connection.rows(
      "SELECT word_count, descriptor_size > 0 AND "
      "length(words) = word_count * descriptor_size * 4 + 4 FROM codebook");  // f32, and a checksum
  if (!rows.next()) return std::nullopt;
  if (rows.integer(1) == 0) {
    throw Error(ErrorKind::kStorage,
                connection.path() + ": codebook 1 has parts that do not fit each other");
  }
  return static_cast<std::size_t>(rows.integer(0));
}

}  // namespace lookalike
