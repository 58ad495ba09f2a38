#include "stages/match/index_cache.h"

#include <utility>

#include "stages/match/refine/colour.h"
#include "stages/match/refine/frame.h"
#include "storage/stored_features.h"

namespace lookalike {

// Half goes to postings: a query reads the lists of thousands of words, but records and pictures of
// its candidates only.
IndexCache::IndexCache(const IndexReader& index, PictureLoaders loaders,
                       std::uint32_t picture_side_px, std::size_t limit_bytes)
    : index_(index),
      loaders_(std::move(loaders)),
      picture_side_px_(picture_side_px),
      postings_(limit_bytes / 2),
      records_(limit_bytes / 4),
      pictures_(limit_bytes / 8),
      colours_{Cache<ImageId, ColourImage>(limit_bytes / 8),
               Cache<ImageId, ColourImage>(limit_bytes / 16)} {}

void IndexCache::for_each_list(std::uint32_t word,
                               const std::function<void(const EncodedPostings&)>& visit) {
  if (const auto known = postings_.find(word)) {
    for (const auto& [payload, numbers] : *known) visit(EncodedPostings(payload, numbers));
    return;
  }
  std::vector<CachedList> lists;
  std::size_t size = 0;
  index_.for_each_list(word, [&](const EncodedPostings& list) {
    const ByteView payload = list.payload();
    lists.push_back({{payload.begin(), payload.end()}, list.numbers()});
    size += sizeof(CachedList) + payload.size();
    visit(list);
  });
  postings_.put(word, std::make_shared<const std::vector<CachedList>>(std::move(lists)), size);
}

std::shared_ptr<const Record> IndexCache::record(ImageId image) {
  // The postings and the images are of one published state, so the image exists.
  return records_.get(
      image,
      [&] {
        return Record{index_.existing_image(image), index_.features(image)};
      },
      [](const Record& record) {
        return record.features.size() * (sizeof(std::uint32_t) + sizeof(FeatureGeometry));
      });
}

std::vector<std::uint64_t> IndexCache::signatures(const Record& record) {
  return read_signatures(
             [this](std::uint32_t word, const auto& visit) { for_each_list(word, visit); },
             {&record.image.id, 1}, {&record.features, 1})
      .front();
}

std::shared_ptr<const std::optional<DecodedImage>> IndexCache::picture(const StoredImage& image) {
  return pictures_.get(
      image.id,
      [&] { return loaders_.load_picture(image, WantedSize(picture_side_px_).with_strips()); },
      [](const std::optional<DecodedImage>& picture) {
        return picture ? picture->pixels.pixels.size() + picture->alpha.pixels.size() : 0;
      });
}

double most_pixels(ColourSize size) {
  return size == ColourSize::kFull ? kMostComparedPixels : kColourPixels;
}

std::shared_ptr<const ColourImage> IndexCache::colours(const StoredImage& image, ColourSize size) {
  return colours_[static_cast<std::size_t>(size)].get(
      image.id, [&] { return loaders_.load_colours(image, most_pixels(size)); },
      [](const ColourImage& picture) { return picture.size_bytes(); });
}

}  // namespace lookalike
