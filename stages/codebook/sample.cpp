#include "stages/codebook/sample.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::size_t kMinAutoWords = 64;
constexpr std::size_t kMaxAutoWords = 16384;
constexpr std::size_t kMaxAutoWordsOfFullSample = 65536;
constexpr std::size_t kAutoFeaturesPerWord = 64;
// Bounds the time of training, unless words would get fewer features than the minimum.
constexpr std::size_t kMaxFeatures = std::size_t{1} << 20;
constexpr std::size_t kMinFeaturesPerWord = 16;

std::size_t auto_words(std::size_t available, bool is_full) {
  const std::size_t wanted = std::bit_floor(available / kAutoFeaturesPerWord);
  const std::size_t most = is_full ? kMaxAutoWordsOfFullSample : kMaxAutoWords;
  return std::min(available, std::clamp(wanted, kMinAutoWords, most));
}

std::size_t per_word(std::size_t words, std::size_t wanted) {
  return std::min(wanted, std::max(kMinFeaturesPerWord, kMaxFeatures / words));
}

// Returns the images by rank, each content once, at most `limit`.
std::vector<SampleShare> ranked(std::span<const SampleImage> images, std::uint64_t seed,
                                std::size_t limit) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  std::unordered_set<ContentHash, ContentHasher> seen;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (seen.insert(images[i].content).second) {
      order.emplace_back(sample_rank(images[i].content, seed), i);
    }
  }
  // Equal ranks are ordered by content, so that the order of the images never matters.
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : images[a.second].content < images[b.second].content;
  });
  order.resize(std::min(order.size(), limit));
  std::vector<SampleShare> shares;
  for (const auto& [rank, image] : order) shares.push_back({image, images[image].features});
  return shares;
}

std::size_t total(const std::vector<SampleShare>& shares) {
  std::size_t sum = 0;
  for (const SampleShare& share : shares) sum += share.features;
  return sum;
}

// Cuts the shares to `wanted` features in total: to one level for all images with more, plus one
// for the first of them until the remainder is used up.
void cut_to(std::vector<SampleShare>& shares, std::size_t wanted) {
  std::vector<std::size_t> counts;
  for (const SampleShare& share : shares) counts.push_back(share.features);
  std::sort(counts.begin(), counts.end());
  std::size_t left = wanted;
  std::size_t level = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    level = left / (counts.size() - i);
    if (counts[i] > level) break;
    left -= counts[i];
  }
  const auto above = static_cast<std::size_t>(
      counts.end() - std::upper_bound(counts.begin(), counts.end(), level));
  std::size_t extra = left - level * above;
  for (SampleShare& share : shares) {
    if (share.features <= level) continue;
    share.features = level + (extra > 0 ? 1 : 0);
    extra -= extra > 0 ? 1 : 0;
  }
}

void check_words(std::size_t words, std::size_t available, std::size_t images,
                 std::size_t features_per_word) {
  if (available == 0) {
    throw Error(ErrorKind::kInput,
                fmt::format("codebook: no features to train on in {} images", images));
  }
  if (words <= available) return;
  throw Error(
      ErrorKind::kInput,
      fmt::format("codebook: too few features for {} words: the {} of {} images suffice for "
                  "{} words at {} features a word, and for {} at most",
                  words, available, images, std::max<std::size_t>(1, available / features_per_word),
                  features_per_word, available));
}

// First row and number of rows in the sample, by the image's index.
using Places = std::unordered_map<std::size_t, std::pair<std::size_t, std::size_t>>;

Places places_of(const SamplePlan& plan) {
  Places places;
  std::size_t row = 0;
  for (const SampleShare& share : plan.shares) {
    places[share.image] = {row, share.features};
    row += share.features;
  }
  return places;
}

void check_size(const ImageFeatures& image, std::size_t descriptor_size) {
  if (image.features.descriptor_size == descriptor_size) return;
  throw Error(
      ErrorKind::kInput,
      fmt::format("codebook: {}: descriptors have {} numbers, but those of earlier images {}",
                  image.image.file.path, image.features.descriptor_size, descriptor_size));
}

}  // namespace

SamplePlan plan_sample(std::span<const SampleImage> images, const CodebookOptions& options) {
  SamplePlan plan;
  plan.shares = ranked(images, options.seed, options.sample_images);
  const std::size_t available = total(plan.shares);
  const bool is_full = plan.shares.size() >= options.sample_images;
  plan.words = options.words > 0 ? options.words : auto_words(available, is_full);
  check_words(plan.words, available, plan.shares.size(), options.features_per_word);
  plan.features = std::min(available, plan.words * per_word(plan.words, options.features_per_word));
  if (plan.features < available) cut_to(plan.shares, plan.features);
  return plan;
}

std::vector<SampleImage> first_of_sample(std::span<const SampleImage> images,
                                         const CodebookOptions& options) {
  std::vector<SampleImage> first;
  for (const SampleShare& share : ranked(images, options.seed, options.sample_images)) {
    first.push_back(images[share.image]);
  }
  return first;
}

std::vector<SampleImage> sample_images_of(const FeatureSource& source) {
  std::vector<SampleImage> images;
  source([&](const ImageFeatures& image) {
    images.push_back({image.image.content, image.features.size()});
  });
  return images;
}

Sample take_sample(std::span<const SampleImage> images, const FeatureSource& source,
                   const CodebookOptions& options, const std::filesystem::path& folder) {
  const SamplePlan plan = plan_sample(images, options);
  const Places places = places_of(plan);
  std::optional<Sample> sample;
  std::size_t index = 0;
  source([&](const ImageFeatures& image) {
    const std::size_t descriptor_size = image.features.descriptor_size;
    if (!sample) sample.emplace(Sample{plan.words, RowFile(folder, descriptor_size)});
    check_size(image, sample->features.cols());
    require(index < images.size() && images[index].content == image.image.content &&
                images[index].features == image.features.size(),
            "take_sample: the source passes other images");
    const auto place = places.find(index++);
    if (place == places.end()) return;
    const auto [row, rows] = place->second;
    sample->features.write(row, image.features.descriptor_matrix().middle_rows(0, rows));
  });
  require(sample && index == images.size(), "take_sample: the source passes other images");
  return *std::move(sample);
}

}  // namespace lookalike
