#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/flow/feature_cache.h"
#include "pipeline/flow/item_stream.h"
#include "pipeline/flow/store_queue.h"
#include "pipeline/index/run_phases.h"
#include "pipeline/index_settings.h"
#include "stages/codebook/training_progress.h"

namespace lookalike {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
// What a run may hold for the disk; only a fast device fills it. A publish writes a row for most
// words, so a large batch takes less time than several small ones, but leaves more to the end.
constexpr StoreRoom kRoom = {.batch_bytes = std::size_t{64} << 20, .queued_images = 3072};
// Threads that read the cache for training, each a chunk at a time.
constexpr std::size_t kCacheReaders = 2;

using Batch = std::vector<Item>;

bool has_image(const Item& item) {
  return item.is<DecodedImage>() || item.is<CachedFeatures>();
}

// Marks the contents known to the index. Contents of files that stay as they are until the end of
// this run are known. Content that only changing files point to may disappear during the run, but
// not before its own file is read.
void learn_contents(const IndexReader& index, const std::vector<SourceFile>& files,
                    KnownContents& known) {
  std::unordered_set<std::string_view> changing;
  for (const SourceFile& file : files) changing.insert(file.path);
  index.for_each_image([&](const StoredImage& image) {
    for (const std::string& path : image.paths) {
      if (changing.contains(page_of(path).file)) {
        known.expect(path, image.content);
      } else {
        known.insert(image.content);
      }
    }
  });
}

void require_features(std::span<const Item> sample) {
  if (std::ranges::any_of(sample, &Item::is<CachedFeatures>)) return;
  const auto is_skipped = [](const Item& item) { return item.is<SkippedFile>(); };
  std::string first;
  if (const auto item = std::ranges::find_if(sample, is_skipped); item != sample.end()) {
    const SkippedFile& file = std::get<SkippedFile>(item->state);
    first = fmt::format(" (the first: {}: {}: {})", printable(file.file.path), file.reason,
                        file.detail);
  }
  throw Error(ErrorKind::kInput,
              fmt::format("index: no image can be used: {} are blank, {} cannot be read{}",
                          std::ranges::count_if(sample, &Item::blank),
                          std::ranges::count_if(sample, is_skipped), first));
}

// Returns the files behind the sample, and those in it that have further pages, by path.
std::vector<SourceFile> files_left(std::span<const SourceFile> files,
                                   std::span<const Item> sample) {
  std::unordered_set<std::string_view> with_pages;
  for (const Item& item : sample) {
    if (item.pages > 1 && !item.is<SkippedFile>()) with_pages.insert(item.file.path);
  }
  std::vector<SourceFile> left;
  std::ranges::copy_if(files.first(sample.size()), std::back_inserter(left),
                       [&](const SourceFile& file) { return with_pages.contains(file.path); });
  std::ranges::copy(files.subspan(sample.size()), std::back_inserter(left));
  std::ranges::sort(left, {}, &SourceFile::path);
  return left;
}

// Takes the images of a run from their files to the index. The steps are functions, in the order in
// which index() calls them.
class ImageFlow {
 public:
  ImageFlow(RunContext& run, FeatureCache& cache, KnownContents& known)
      : run_(run), cache_(cache), known_(known) {}

  void index(std::vector<SourceFile> files, std::optional<Codebook> codebook) {
    std::vector<Item> sample;
    if (codebook) {
      codebook_ = std::move(codebook);
    } else {
      files = sample_first(std::move(files));
      sample = extract_sample(files);
      run_.throw_if_stopped();
      return_freed_memory();
      train(sample);
      return_freed_memory();
      files = files_left(files, sample);
    }
    StoreQueue queue(run_.writer, run_.config.store, run_.times, kRoom);
    Progress progress(run_.next_step("index"), "images", sample.size() + files.size(), run_.style);
    store_sample(sample, queue, progress);
    return_freed_memory();
    run_.until_stopped([&] {
      process(progress, sample.size(), files, ItemStream::Pages::kAll, kAll, [&](Batch batch) {
        store(std::move(batch), queue);
        return kAll;
      });
    });
    queue.finish();
  }

 private:
  std::vector<SourceFile> sample_first(std::vector<SourceFile> files) const {
    if (files.size() <= run_.config.codebook.sample_images) return files;
    return in_sample_order(
        files, run_.config, run_.times, [&] { run_.throw_if_stopped(); }, run_.options.load);
  }

  // Extracts the first pages of files until the sample is full, or to the next stop, and keeps
  // features in the cache. Returns their items: CachedFeatures in order, then blank images, copies
  // and skipped files.
  std::vector<Item> extract_sample(const std::vector<SourceFile>& files) {
    std::vector<Item> sample;
    std::size_t wanted = run_.config.codebook.sample_images;
    Progress progress(run_.next_step("extract"), "images", std::min(wanted, files.size()),
                      run_.style);
    run_.until_stopped([&] {
      process(progress, 0, files, ItemStream::Pages::kFirst, wanted, [&](Batch batch) {
        for (Item& item : batch) {
          if (item.is<ImageFeatures>()) run_.times.timed("cache", [&] { cache_.add(item); });
          wanted -= item.is<CachedFeatures>() ? 1 : 0;
          sample.push_back(std::move(item));
        }
        return wanted;
      });
    });
    run_.times.timed("cache", [&] { cache_.flush(); });
    std::stable_partition(sample.begin(), sample.end(),
                          [](const Item& item) { return item.is<CachedFeatures>(); });
    return sample;
  }

  // Gives the index a codebook.
  void train(std::span<Item> sample) {
    require_features(sample);
    const Sample taken = run_.times.timed("sample", [&] { return training_sample(sample); });
    const CodebookOptions& options = run_.config.codebook;
    TrainingProgress progress(run_.next_step("codebook"), taken.words, options, run_.style);
    DeviceStages& stages = run_.device.stages();
    Codebook codebook = stages.train(taken, progress.watch([&] { run_.throw_if_stopped(); }));
    run_.writer.set_codebook(codebook, settings_of(run_.config.extract, codebook));
    run_.report.trained_words = codebook.size();
    stages.set_codebook(std::move(codebook));
  }

  Sample training_sample(std::span<Item> sample) {
    std::vector<SampleImage> images;
    for (const Item& item : sample) {
      if (!item.is<CachedFeatures>()) continue;
      images.push_back({item.content, cache_.place_of(item).features});
    }
    const FeatureSource features = [&](const auto& visit) {
      const std::vector<std::span<Item>> parts = parts_of(sample.first(images.size()));
      OrderedParallel<Batch> loaded(parts.size(), kCacheReaders, kCacheReaders,
                                    [&](std::size_t i) { return loaded_copy(parts[i]); });
      while (const auto batch = loaded.next()) {
        for (const Item& item : *batch) visit(std::get<ImageFeatures>(item.state));
      }
    };
    return take_sample(images, features, run_.config.codebook, cache_.folder());
  }

  // Stores images first, so that their copies find them in the index.
  void store_sample(std::span<Item> sample, StoreQueue& queue, Progress& progress) {
    if (sample.empty()) return;  // a device that is not open yet opens beside decoding
    const std::vector<std::span<Item>> parts = parts_of(sample);
    OrderedParallel<Batch> loaded(parts.size(), 1, 1,
                                  [&](std::size_t i) { return loaded_copy(parts[i]); });
    auto processed = on_device([&] { return loaded.next(); }, run_.device.stages().lanes());
    std::size_t done = 0;
    while (std::optional<Batch> batch = processed.next()) {
      done += batch->size();
      store(*std::move(batch), queue);
      progress.update(done);
    }
  }

  // Takes files through decoding, or from the cache, and the device, and hands each batch on, in
  // the order of the files: SkippedFile, KnownContent, and ImageWords where there is a codebook,
  // else ImageFeatures. `accept` returns how many more images it wants: no more are begun, since
  // the contents of all that were begun count as known.
  //   before  the items that `progress` counts already
  template <typename Accept>
  void process(Progress& progress, std::size_t before, const std::vector<SourceFile>& files,
               ItemStream::Pages pages, std::size_t wanted, Accept accept) {
    if (files.empty()) return;
    ItemStream stream(files, run_.config, run_.times, &known_, pages, run_.options.load);
    DeviceStages& stages = run_.device.stages();  // opens while the first files are decoded
    if (codebook_) stages.set_codebook(*std::exchange(codebook_, std::nullopt));
    std::size_t done = 0;
    while (wanted > 0 && done < files.size()) {
      std::size_t to_begin = wanted;
      const auto next_batch = [&]() -> std::optional<Batch> {
        Batch batch = stream.next_batch(std::min(to_begin, stages.batch_images()));
        if (batch.empty()) return std::nullopt;
        to_begin -= static_cast<std::size_t>(std::ranges::count_if(batch, &has_image));
        load_cached(batch);
        return batch;
      };
      auto processed = on_device(next_batch, 2 * stages.lanes());
      while (std::optional<Batch> batch = processed.next()) {
        done += static_cast<std::size_t>(std::ranges::count_if(*batch, &Item::ends_file));
        wanted = accept(*std::move(batch));
        progress.update(before + done);
        run_.throw_if_stopped();
      }
    }
  }

  // Takes batches through the lanes of the device, in order, `window` of them at a time.
  OrderedParallel<Batch, Batch> on_device(std::function<std::optional<Batch>()> next,
                                          std::size_t window) {
    DeviceStages& stages = run_.device.stages();
    return {std::move(next), stages.lanes(), window, [&stages](Batch batch, std::size_t lane) {
              stages.process(batch, lane);
              return batch;
            }};
  }

  // Queues the items that were not skipped, and counts files: those with other content than before
  // as indexed.
  void store(Batch batch, StoreQueue& queue) {
    IndexRunReport& report = run_.report;
    for (Item& item : batch) {
      is_as_before_ = is_as_before_ && known_.expects(item.file, item.content);
      const bool is_as_before = item.ends_file ? std::exchange(is_as_before_, true) : false;
      if (auto* skipped = std::get_if<SkippedFile>(&item.state)) {
        report.skipped.push_back(std::move(*skipped));
        continue;
      }
      if (is_as_before) run_.as_before.push_back(item.file.path);
      if (item.ends_file && item.file.modified_ns != kUnfinished) {
        ++(is_as_before ? report.unchanged : report.indexed);
      }
      if (!item.damage.empty()) {
        report.damaged.push_back({item.file, "damaged", std::move(item.damage)});
      }
      report.blank += item.blank ? 1 : 0;
      const auto* const words = std::get_if<ImageWords>(&item.state);
      report.featureless += !item.blank && words && words->features.empty() ? 1 : 0;
      queue.push(std::move(item));
    }
  }

  // Returns the parts of the sample to load at once: for each chunk of the cache the items whose
  // features lie in it, and then all that have none.
  std::vector<std::span<Item>> parts_of(std::span<Item> sample) const {
    const auto chunk_of = [&](const Item& item) {
      return item.is<CachedFeatures>() ? std::optional(cache_.place_of(item).chunk) : std::nullopt;
    };
    std::vector<std::span<Item>> parts;
    for (std::size_t first = 0, end = 0; first < sample.size(); first = end) {
      while (end < sample.size() && chunk_of(sample[end]) == chunk_of(sample[first])) ++end;
      parts.push_back(sample.subspan(first, end - first));
    }
    return parts;
  }

  Batch loaded_copy(std::span<const Item> part) {
    Batch batch(part.begin(), part.end());
    load_cached(batch);
    return batch;
  }

  void load_cached(std::span<Item> items) {
    if (std::ranges::none_of(items, &Item::is<CachedFeatures>)) return;
    run_.times.timed("cache", [&] { cache_.load(items); });
  }

  RunContext& run_;
  FeatureCache& cache_;
  KnownContents& known_;
  std::optional<Codebook> codebook_{};  // until the device has it
  bool is_as_before_ = true;            // all items so far of the file that store() takes
};

}  // namespace

void index_images(RunContext& run, std::vector<SourceFile> files,
                  std::optional<Codebook> codebook) {
  FeatureCache cache(run.config);  // drops what was extracted under other settings
  if (!files.empty()) {
    KnownContents known(cache);
    learn_contents(run.writer, files, known);
    try {
      ImageFlow(run, cache, known).index(std::move(files), std::move(codebook));
    } catch (const Error& error) {
      // The features are useful once the disk has room, the device works or the settings are
      // corrected.
      if (error.kind() == ErrorKind::kInput) cache.discard();
      throw;
    }
  }
  if (!run.report.stopped) cache.discard();
}

}  // namespace lookalike
