#include "pipeline/flow/item_stream.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "base/page_name.h"
#include "stages/decode/decode.h"
#include "stages/decode/large_image_lock.h"

namespace lookalike {
namespace {

std::size_t decode_threads(const ImagesOptions& options) {
  return options.decode_threads > 0 ? options.decode_threads : core_count();
}

// Returns the maximum number of images that are being decoded or wait for the device: enough for
// threads to go on while it takes none for a moment.
std::size_t decode_window(const ImagesOptions& options) {
  constexpr std::size_t kLeast = 32;
  constexpr std::size_t kEachThread = 8;
  return std::max(kLeast, kEachThread * decode_threads(options));
}

// Returns the loader, or the one of files if it is empty.
ImageLoader or_of_files(const ImageLoader& load, const ImagesOptions& limits) {
  if (load) return load;
  return [&limits](const std::string& name) { return load_file(name, limits); };
}

}  // namespace

bool KnownContents::insert(const ContentHash& content) {
  const std::lock_guard lock(mutex_);
  return contents_.insert(content).second;
}

bool KnownContents::contains(const SourceFile& file, const ContentHash& content) const {
  if (expects(file, content)) return true;
  const std::lock_guard lock(mutex_);
  return contents_.contains(content);
}

bool KnownContents::expects(const SourceFile& file, const ContentHash& content) const {
  const auto expected = expected_.find(file.path);
  return expected != expected_.end() && expected->second == content;
}

// The pages of a file after its first. Reads the file once more.
class ItemStream::FurtherPages {
 public:
  FurtherPages(ItemStream& stream, const Item& first)
      : stream_(stream),
        end_(Item{.file = first.file, .content = first.content, .state = KnownContent{}}),
        loaded_(load(first)),
        items_(loaded_ ? first.pages - 1 : 0, decode_threads(stream.config_.images),
               decode_window(stream.config_.images),
               [this](std::size_t i) { return read(static_cast<std::uint32_t>(i + 2)); }) {}

  // Returns the next page, and the file after the last one.
  std::optional<Item> next() {
    std::optional<Item> page = items_.next();
    if (!page) return std::exchange(end_, std::nullopt);
    if (page->is<SkippedFile>()) end_->file.modified_ns = kUnfinished;
    return page;
  }

 private:
  std::optional<LoadedFile> load(const Item& first) {
    auto loaded = stream_.load_(first.file.path);
    if (auto* const skipped = std::get_if<SkippedFile>(&loaded)) {
      end_->state = std::move(*skipped);
      return std::nullopt;
    }
    auto& file = std::get<LoadedFile>(loaded);
    if (file.content == first.content) return std::move(file);
    end_->state = SkippedFile{first.file, "changing", "the file was written to while it was read"};
    return std::nullopt;
  }

  // Leaves a known page in the file: it needs no copy.
  Item read(std::uint32_t number) {
    Item item{.file = loaded_->file,
              .content = page_content(loaded_->content, number),
              .ends_file = false,
              .state = KnownContent{}};
    item.file.path = page_name(item.file.path, number);
    if (stream_.known_ && stream_.known_->contains(item.file, item.content)) return item;
    return stream_.times_.timed("decode", [&] {
      const LargeImageLock lock(loaded_->file);
      Item page = stream_.item_of(page_of_loaded(*loaded_, number));
      page.ends_file = false;
      return page;
    });
  }

  ItemStream& stream_;
  std::optional<Item> end_;
  const std::optional<LoadedFile> loaded_;
  OrderedParallel<Item> items_;  // last: its threads use the members above
};

ItemStream::ItemStream(const std::vector<SourceFile>& files, const RunConfig& config,
                       StageTimes& times, KnownContents* known, Pages pages,
                       const ImageLoader& load)
    : config_(config),
      times_(times),
      known_(known),
      pages_(pages),
      load_(or_of_files(load, config.images)),
      items_(files.size(), decode_threads(config.images), decode_window(config.images),
             [this, &files](std::size_t i) {
               return times_.timed("decode", [&] { return read(files[i]); });
             }) {}

ItemStream::~ItemStream() = default;

Item ItemStream::read(const SourceFile& file) {
  const LargeImageLock lock(file);
  auto loaded = load_(file.path);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) {
    return {.file = skipped->file, .state = std::move(*skipped)};
  }
  return item_of(std::get<LoadedFile>(loaded));
}

Item ItemStream::item_of(const LoadedFile& page) {
  Item item{.file = page.file,
            .content = page.content,
            .pages = static_cast<std::uint32_t>(std::max<std::size_t>(1, page.pages.size()))};
  if (known_ && known_->contains(item.file, item.content)) {
    item.state = KnownContent{};
  } else if (known_ && known_->is_cached(item.content)) {
    item.state = CachedFeatures{};
  } else {
    auto decoded = decode(page, wanted_size(config_.extract), config_.images);
    std::visit([&](auto& result) { item.state = std::move(result); }, decoded);
    if (auto* image = std::get_if<DecodedImage>(&item.state)) {
      item.damage = std::move(image->damage);
    }
  }
  return item;
}

std::optional<Item> ItemStream::next() {
  if (further_) {
    if (std::optional<Item> item = further_->next()) return item;
    further_.reset();
  }
  std::optional<Item> item = items_.next();
  if (!item || item->pages == 1 || item->is<SkippedFile>()) return item;
  if (pages_ == Pages::kAll) {
    further_ = std::make_unique<FurtherPages>(*this, *item);
    item->ends_file = false;
  }
  item->file.modified_ns = kUnfinished;
  if (auto* const image = std::get_if<DecodedImage>(&item->state)) image->record.file = item->file;
  return item;
}

std::vector<Item> ItemStream::next_batch(std::size_t images) {
  std::vector<Item> batch;
  while (images > 0) {
    std::optional<Item> item = next();
    if (!item) break;
    if (item->is<DecodedImage>() || item->is<CachedFeatures>()) {
      // A file with the same content may have been read in parallel.
      const bool is_new = known_ == nullptr || known_->insert(item->content);
      if (!is_new) item->state = KnownContent{};
      images -= is_new ? 1 : 0;
    }
    batch.push_back(*std::move(item));
  }
  return batch;
}

std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each,
                                        const ImageLoader& load) {
  // Ties are broken by content, as in plan_sample.
  using Rank = std::pair<std::uint64_t, ContentHash>;
  constexpr Rank kLast = {std::numeric_limits<std::uint64_t>::max(), {}};
  const ImageLoader read = or_of_files(load, config.images);
  OrderedParallel<Rank> ranks(
      files.size(), decode_threads(config.images), decode_window(config.images),
      [&](std::size_t i) {
        return times.timed("hash", [&] {
          const auto loaded = read(files[i].path);
          const auto* file = std::get_if<LoadedFile>(&loaded);
          return file ? Rank{sample_rank(file->content, config.codebook.seed), file->content}
                      : kLast;
        });
      });
  std::vector<std::pair<Rank, std::size_t>> order;
  while (const std::optional<Rank> rank = ranks.next()) {
    order.emplace_back(*rank, order.size());
    after_each();
  }
  std::ranges::sort(order);
  std::vector<SourceFile> sorted;
  sorted.reserve(order.size());
  for (const auto& [rank, index] : order) sorted.push_back(files[index]);
  return sorted;
}

}  // namespace lookalike
