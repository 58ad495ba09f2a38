#include "stages/match/index_cache.h"

#include <string>
#include <utility>
#include <variant>

#include "stages/match/sharpen.h"

namespace lookalike {
namespace {

constexpr auto kReadLongestSidePx = static_cast<std::uint32_t>(PoseSharpener::kLongestSidePx);

std::optional<DecodedImage> read_again(const StoredImage& image) {
  for (const std::string& path : image.paths) {
    auto decoded = decode_file(path, kReadLongestSidePx, {});
    auto* picture = std::get_if<DecodedImage>(&decoded);
    if (picture != nullptr && picture->record.content == image.content) return std::move(*picture);
  }
  return std::nullopt;
}

}  // namespace

// Postings and records are of about the same size, and a picture is a tenth of an image's part.
IndexCache::IndexCache(const IndexReader& index, std::size_t limit_bytes)
    : index_(index),
      postings_(limit_bytes / 2),
      records_(limit_bytes / 4),
      pictures_(limit_bytes / 4) {}

std::shared_ptr<const WordPostings> IndexCache::postings(std::uint32_t word) {
  return postings_.get(
      word, [&] { return index_.postings(word); },
      [](const WordPostings& found) {
        return found.images.size() * (sizeof(ImageId) + sizeof(std::uint64_t));
      });
}

std::shared_ptr<const Record> IndexCache::record(ImageId image) {
  return records_.get(
      image,
      [&] {
        // The postings and the images are of one published state.
        return Record{index_.image(image).value(), index_.features(image)};
      },
      [](const Record& record) { return record.features.size() * sizeof(IndexedFeature); });
}

std::shared_ptr<const std::optional<DecodedImage>> IndexCache::picture(const StoredImage& image) {
  return pictures_.get(
      image.id, [&] { return read_again(image); },
      [](const std::optional<DecodedImage>& picture) {
        return picture ? picture->pixels.pixels.size() : 0;
      });
}

}  // namespace lookalike
