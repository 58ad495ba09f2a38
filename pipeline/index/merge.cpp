#include "pipeline/index/merge.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/flow/store_queue.h"
#include "pipeline/index_settings.h"
#include "storage/index_reader.h"
#include "storage/writer_lock.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// Features of the images for which the posting lists are read once: 128 MiB.
constexpr std::size_t kFeaturesAtOnce = (std::size_t{128} << 20) / sizeof(IndexedFeature);

// Returns the settings of a source. Throws Error(kInput) if it has no codebook.
Settings settings_to_merge(const fs::path& source) {
  const IndexReader index(source);
  Settings settings = index.settings();
  if (settings.empty()) {
    throw Error(ErrorKind::kInput, printable(source.native()) + ": has no images");
  }
  return settings;
}

void check_paths(const IndexReader& target, const IndexReader& source) {
  source.for_each_image([&](const StoredImage& image) {
    if (image.page > 1) return;
    const std::optional<ImageId> same = target.find(image.content);
    for (const std::string& path : image.paths) {
      const std::optional<ImageId> there = target.find(path);
      if (!there || there == same) continue;
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: the indexes have different contents for it: update one of "
                              "them, or remove the file from it (lookalike remove)",
                              printable(path)));
    }
  });
}

// Returns the files that hold an image. A page after the first has its own name.
std::vector<SourceFile> files_of(const IndexReader& source, const StoredImage& image) {
  if (image.page == 1) return source.files_of(image.id);
  SourceFile page;
  page.path = image.paths.front();
  return {page};
}

// Queues an image under its first file, then its content under the others. Files with further pages
// are queued as kUnfinished and added to `unfinished` with their time.
void push_image(const IndexReader& source, const StoredImage& image,
                std::vector<IndexedFeature> features, StoreQueue& queue,
                std::vector<Item>& unfinished) {
  ImageWords words;
  words.image.content = image.content;
  words.image.width = image.width;
  words.image.height = image.height;
  words.features = std::move(features);
  words.histogram = count_words(words.features, &IndexedFeature::word);
  Item item;
  item.content = image.content;
  item.sums = image.sums;
  item.blank = image.blank;
  item.state = std::move(words);
  Item known;
  known.content = image.content;
  known.state = KnownContent{};
  for (const SourceFile& file : files_of(source, image)) {
    item.file = file;
    if (image.page == 1 && image.pages > 1) {
      unfinished.push_back(known);
      unfinished.back().file = file;
      item.file.modified_ns = kUnfinished;
    }
    queue.push(std::move(item));
    item = known;
  }
}

void add_images(IndexWriter& target, const IndexReader& source, const StoreOptions& options,
                Progress::Style style) {
  Progress progress("merge", "images", source.counts().images, style);
  StageTimes times;
  StoreQueue queue(target, options, times);
  std::size_t done = 0;
  std::vector<Item> unfinished;
  std::vector<StoredImage> images;
  std::size_t features = 0;
  const auto push_images = [&] {
    std::vector<ImageId> ids;
    ids.reserve(images.size());
    for (const StoredImage& image : images) ids.push_back(image.id);
    auto all_features = source.features_with_signatures(ids);
    for (std::size_t i = 0; i < images.size(); ++i) {
      push_image(source, images[i], std::move(all_features[i]), queue, unfinished);
      progress.update(++done);
    }
    images.clear();
    features = 0;
  };
  source.for_each_image([&](const StoredImage& image) {
    features += image.feature_count;
    images.push_back(image);
    if (features >= kFeaturesAtOnce) push_images();
  });
  push_images();
  for (Item& file : unfinished) queue.push(std::move(file));
  queue.finish();
}

void add_quarantine(IndexWriter& target, const IndexReader& source) {
  std::vector<SkippedFile> skipped = source.quarantine();
  std::erase_if(skipped,
                [&](const SkippedFile& file) { return target.find(file.file.path).has_value(); });
  target.put_in_quarantine(skipped);
}

void add_roots(IndexWriter& target, const IndexReader& source) {
  const std::vector<IndexRoot> known = target.roots();
  std::vector<IndexRoot> added = source.roots();
  std::erase_if(added, [&](const IndexRoot& root) {
    return std::ranges::find(known, root.path, &IndexRoot::path) != known.end();
  });
  target.put_roots(added);
}

}  // namespace

void check_mergeable(const std::vector<fs::path>& sources, const fs::path& target) {
  std::error_code missing;
  const fs::path* first = &sources.front();
  Settings settings;
  if (fs::exists(target, missing) && !fs::is_empty(target, missing)) {  // empty: begun by SQLite
    settings = IndexReader(target).settings();
    first = &target;
  }
  for (const fs::path& source : sources) {
    const std::string name = printable(source.native());
    if (fs::equivalent(source, target, missing)) {
      throw Error(ErrorKind::kUsage, name + ": is the target itself: name the others");
    }
    if (const std::optional<std::string> writer = current_writer(source)) {
      throw Error(ErrorKind::kStorage,
                  fmt::format("{}: is being written by {}: merge it afterwards", name, *writer));
    }
    Settings own = settings_to_merge(source);
    if (settings.empty()) {
      settings = std::move(own);
      first = &source;
    } else if (const auto names = differing_settings(settings, own); !names.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: cannot be merged with {}: these settings differ: {}", name,
                              printable(first->native()), fmt::join(names, ", ")));
    }
  }
}

void merge_index(IndexWriter& target, const IndexReader& source, const StoreOptions& options,
                 Progress::Style style) {
  target.set_codebook(source.codebook(), source.settings());
  check_paths(target, source);
  add_images(target, source, options, style);
  add_quarantine(target, source);
  add_roots(target, source);
}

}  // namespace lookalike
