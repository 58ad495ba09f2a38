#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "storage/row_file.h"

namespace lookalike {

// An image that training may take features from.
struct SampleImage {
  ContentHash content{};
  std::size_t features = 0;
};

// The number of features that training takes from one image.
struct SampleShare {
  std::size_t image = 0;  // index into the images offered
  std::size_t features = 0;
};

struct SamplePlan {
  std::size_t words = 0;
  std::size_t features = 0;         // sum over the shares
  std::vector<SampleShare> shares;  // by sample_rank
};

// Chooses the features that train the codebook.
// Orders images by sample_rank(content, seed), drops repeated contents, and takes the first
// options.sample_images. Of their features uses words * features_per_word, but no more than 2^20
// or, if that is more, 16 a word, which bounds the time of training. Images have equal shares,
// strongest features first; what an image lacks passes to the others. options.words = 0 gives the
// power of two at or below a 64th of the available features, at least 64 and at most 16384, or
// 65536 where the sample is full and the collection thus larger; but never more words than
// features. Throws Error(kInput) for no features, or fewer than options.words; the message has
// their number and how many words they suffice for.
SamplePlan plan_sample(std::span<const SampleImage> images, const CodebookOptions& options);

// Returns the first options.sample_images of the images in that order, repeated contents dropped.
// Reducing several lists in this way before joining them does not change the plan.
std::vector<SampleImage> first_of_sample(std::span<const SampleImage> images,
                                         const CodebookOptions& options);

// Calls visit() for each image.
using FeatureSource = std::function<void(const std::function<void(const ImageFeatures&)>& visit)>;

// The features that train a codebook.
struct Sample {
  std::size_t words = 0;
  RowFile features;  // [n][descriptor size], by sample_rank, then strongest first
};

// Returns the images that a source passes.
std::vector<SampleImage> sample_images_of(const FeatureSource& source);

// Takes the sample from the images that the source passes, which must be `images` in that order.
// The features go into a nameless file of the folder, so that memory holds only a part of them.
// Throws as plan_sample() and RowFile, Error(kInput) if the images' descriptors differ in size, and
// Error(kInternal) if the source does not pass `images`.
Sample take_sample(std::span<const SampleImage> images, const FeatureSource& source,
                   const CodebookOptions& options, const std::filesystem::path& folder);

}  // namespace lookalike
