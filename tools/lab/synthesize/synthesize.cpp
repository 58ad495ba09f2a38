#include "tools/lab/synthesize/synthesize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "pipeline/flow/store_queue.h"

namespace lookalike {
namespace {

// The shares of features that an original and its copy keep; the others come from strangers.
constexpr double kCopiedShare = 0.6;

struct SampleImage {
  StoredImage image;
  std::vector<IndexedFeature> features;  // by word
};

// Features of one image and word.
using Burst = std::span<const IndexedFeature>;

std::vector<Burst> bursts_of(std::span<const IndexedFeature> features) {
  std::vector<Burst> bursts;
  for (std::size_t first = 0; first < features.size();) {
    std::size_t end = first + 1;
    while (end < features.size() && features[end].word == features[first].word) ++end;
    bursts.push_back(features.subspan(first, end - first));
    first = end;
  }
  return bursts;
}

// Fisher and Yates; std::shuffle differs between libraries.
template <typename T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  }
}

// Each bit is set with a probability of 1 / 2^halvings.
std::uint64_t sparse_bits(Random& random, int halvings) {
  std::uint64_t bits = random.bits();
  for (int i = 1; i < halvings; ++i) bits &= random.bits();
  return bits;
}

// From an original's pixels to those of its copy, which has the same size.
Homography copying(const StoredImage& image, Random& random) {
  const double turn = random.between(0, 2 * std::numbers::pi);
  const double scale = random.between(0.7, 1.4);
  const double a = scale * std::cos(turn);
  const double b = scale * std::sin(turn);
  const double x = image.width / 2.0;
  const double y = image.height / 2.0;
  const double to_x = x + random.between(-0.1, 0.1) * image.width;
  const double to_y = y + random.between(-0.1, 0.1) * image.height;
  return {a, -b, to_x - a * x + b * y, b, a, to_y - b * x - a * y, 0, 0, 1};
}

class Synthesis {
 public:
  Synthesis(const IndexReader& sample, const SynthesisOptions& options) : options_(options) {
    sample.for_each_image([&](const StoredImage& image) { images_.push_back({image, {}}); });
    std::ranges::sort(images_, {}, [](const SampleImage& each) { return each.image.paths; });
    std::vector<ImageId> ids;
    for (const SampleImage& each : images_) ids.push_back(each.image.id);
    std::ranges::sort(ids);
    auto features = sample.features_with_signatures(ids);
    for (SampleImage& each : images_) {
      const auto place = std::ranges::lower_bound(ids, each.image.id) - ids.begin();
      each.features = std::move(features[static_cast<std::size_t>(place)]);
    }
    for (const SampleImage& each : images_) {
      if (!each.features.empty()) sources_.push_back(&each);
    }
    if (sources_.empty()) throw Error(ErrorKind::kUsage, "the sample has no images with features");
    if (options.planted > sources_.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("{} images to plant, and the sample has {}",
                                                 options.planted, sources_.size()));
    }
    if (options.with_sample && options.images < images_.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("{} images are fewer than the {} of the sample",
                                                 options.images, images_.size()));
    }
    originals_ = std::span(sources_).last(options.planted);
  }

  std::vector<PlantedCopy> run(const std::function<void(ImageToStore)>& store) const {
    std::vector<PlantedCopy> planted;
    std::size_t stored = 0;
    for (const SampleImage& each : images_) {
      if (!options_.with_sample) break;
      if (std::ranges::find(originals_, &each) != originals_.end()) continue;
      for (const std::string& path : each.image.paths) store(unchanged(each, path));
      ++stored;
    }
    OrderedParallel<Made> others(options_.images - stored, core_count(), 64 * core_count(),
                                 [&](std::size_t i) { return make(i); });
    while (std::optional<Made> made = others.next()) {
      if (made->copy) planted.push_back(*std::move(made->copy));
      store(std::move(made->image));
    }
    return planted;
  }

 private:
  struct Made {
    ImageToStore image{};
    std::optional<PlantedCopy> copy{};
  };

  static ImageToStore unchanged(const SampleImage& each, const std::string& path) {
    ImageToStore image;
    image.words.image.file.path = path;
    image.words.image.content = each.image.content;
    image.words.image.width = each.image.width;
    image.words.image.height = each.image.height;
    image.words.features = each.features;
    image.words.histogram = count_words(each.features, &IndexedFeature::word);
    image.sums = each.image.sums;
    image.blank = each.image.blank;
    return image;
  }

  // The i-th image that is not of the sample: a planted copy, or one without an answer.
  Made make(std::size_t i) const {
    const std::array<std::uint64_t, 2> key = {options_.seed, i};
    const auto bytes = std::as_bytes(std::span(key));
    const std::span identity(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    Random random(checksum(identity));
    const bool is_copy = i < originals_.size();
    const SampleImage& model =
        is_copy ? *originals_[i] : *sources_[static_cast<std::size_t>(random.below(count()))];
    Made made;
    ImageWords& words = made.image.words;
    words.image.file.path = synthetic_path(options_.seed, i);
    words.image.content = hash_content(identity);
    words.image.width = model.image.width;
    words.image.height = model.image.height;
    made.image.sums = model.image.sums;
    if (is_copy) made.copy = add_copy(model, words, random);
    add_strangers(words, random);
    std::ranges::stable_sort(words.features, {}, &IndexedFeature::word);
    words.histogram = count_words(words.features, &IndexedFeature::word);
    return made;
  }

  PlantedCopy add_copy(const SampleImage& original, ImageWords& words, Random& random) const {
    const Homography map = copying(original.image, random);
    const double turn_degrees = std::atan2(map.h[3], map.h[0]) * 180 / std::numbers::pi;
    const double scale = std::hypot(map.h[0], map.h[3]);
    std::vector<IndexedFeature> features = original.features;
    shuffle(features, random);
    const auto share = [](std::size_t n) {
      return static_cast<std::size_t>(static_cast<double>(n) * kCopiedShare);
    };
    features.resize(std::min(share(features.size()), share(options_.features)));
    for (IndexedFeature& feature : features) {
      const Point at = map.apply({feature.x, feature.y});
      if (at.x < 0 || at.y < 0 || at.x >= words.image.width || at.y >= words.image.height) continue;
      feature.x = static_cast<float>(at.x);
      feature.y = static_cast<float>(at.y);
      feature.size = static_cast<float>(feature.size * scale);
      feature.angle_degrees =
          static_cast<float>(std::fmod(feature.angle_degrees + turn_degrees + 360, 360));
      feature.signature ^= sparse_bits(random, 4);
      words.features.push_back(feature);
    }
    return {.original = original.image.paths.front(),
            .path = words.image.file.path,
            .quad = outline(map.inverse(), words.image.width, words.image.height)};
  }

  // Fills the image up with features of 3 to 6 images of the sample.
  void add_strangers(ImageWords& words, Random& random) const {
    std::vector<Burst> bursts;
    for (int sources = 3 + random.below(4); sources > 0; --sources) {
      const SampleImage& source = *sources_[static_cast<std::size_t>(random.below(count()))];
      std::ranges::move(bursts_of(source.features), std::back_inserter(bursts));
    }
    shuffle(bursts, random);
    for (const Burst burst : bursts) {
      for (IndexedFeature feature : burst) {
        if (words.features.size() >= options_.features) return;
        feature.x = static_cast<float>(random.between(0, words.image.width));
        feature.y = static_cast<float>(random.between(0, words.image.height));
        feature.signature ^= sparse_bits(random, 2);
        words.features.push_back(feature);
      }
    }
  }

  int count() const { return static_cast<int>(sources_.size()); }

  const SynthesisOptions options_;
  std::vector<SampleImage> images_{};                // by path
  std::vector<const SampleImage*> sources_{};        // those with features
  std::span<const SampleImage* const> originals_{};  // of planted copies
};

}  // namespace

std::vector<PlantedCopy> synthesize(const IndexReader& sample, const SynthesisOptions& options,
                                    const std::function<void(ImageToStore)>& store) {
  return Synthesis(sample, options).run(store);
}

std::string synthetic_path(std::uint64_t seed, std::size_t i) {
  return fmt::format("/synthetic/{}/{:08}.jpg", seed, i);
}

std::vector<PlantedCopy> store_synthetic(const IndexReader& sample, const SynthesisOptions& options,
                                         IndexWriter& writer,
                                         const std::function<void(std::size_t)>& progress) {
  writer.set_codebook(sample.codebook(), sample.settings());
  StoreOptions by_size;
  by_size.publish_seconds = std::numeric_limits<double>::infinity();
  StageTimes times;
  StoreQueue queue(writer, by_size, times);
  std::size_t images = 0;
  auto planted = synthesize(sample, options, [&](ImageToStore image) {
    Item item{.file = image.words.image.file,
              .content = image.words.image.content,
              .sums = image.sums,
              .blank = image.blank};
    item.state = std::move(image.words);
    queue.push(std::move(item));
    if (progress) progress(++images);
  });
  queue.finish();
  return planted;
}

}  // namespace lookalike
