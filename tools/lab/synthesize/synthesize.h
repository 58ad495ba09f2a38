#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "storage/index_writer.h"

namespace lookalike {

struct SynthesisOptions {
  std::size_t images = 100'000;  // in all, those of the sample included
  std::size_t features = 1000;   // per synthetic image
  std::size_t planted = 0;       // near-duplicates
  std::uint64_t seed = 1;
  bool with_sample = true;  // the sample's images as well; without, there is nothing to plant
};

// A near-duplicate in the index, and the photo that shows what it shows.
struct PlantedCopy {
  std::string original;  // path of the photo, which is not in the index itself
  std::string path;      // of the copy; there is no such file
  Quad quad{};           // the copy's outline in the original, px
};

// Makes the images of a large index from the words of a small one, the sample:
//   - the sample's images as they are, so that photos of them have known answers, except for the
//     last `planted` ones by path;
//   - near-duplicates of those: a rotated, scaled and shifted copy has up to 60 % of the features,
//     with 4 of 64 signature bits flipped on average;
//   - images without an answer. Each draws its features from 3 to 6 images of the sample, all of an
//     image's features of one word together, which keeps the frequencies and bursts of words; 16
//     signature bits of a feature are flipped on average, and its place is random.
// Only the words of synthetic images exist, not their pixels: matches of them have no correlation.
// Calls store() for each image in turn, on the caller's thread. Images are made on all cores and
// depend on the seed and the sample alone. Returns the planted copies.
// Throws Error(kUsage) when the sample has more images, fewer to plant, or none with features, and
// what store() and the reader throw.
std::vector<PlantedCopy> synthesize(const IndexReader& sample, const SynthesisOptions& options,
                                    const std::function<void(ImageToStore)>& store);

// The path of the i-th image that is not of the sample, copies first.
std::string synthetic_path(std::uint64_t seed, std::size_t i);

// Makes images and stores them as a run does, except that it publishes by size alone, so that
// segments do not depend on the time. An index without a codebook takes that of the sample.
// progress(images so far) may be nothing. Throws as synthesize() and StoreQueue.
std::vector<PlantedCopy> store_synthetic(const IndexReader& sample, const SynthesisOptions& options,
                                         IndexWriter& writer,
                                         const std::function<void(std::size_t)>& progress = {});

}  // namespace lookalike
