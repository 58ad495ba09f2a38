#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/features.h"
#include "base/image.h"
#include "base/source_file.h"

// The records that stages exchange; storage/ defines their form in files.
namespace lookalike {

// XXH3-128 of a file's bytes: identifies an image whatever its name.
using ContentHash = std::array<std::uint8_t, 16>;

// A decoded image: upright by its EXIF orientation, at full size.
struct ImageRecord {
  SourceFile file;
  ContentHash content{};
  std::int32_t width = 0;   // px
  std::int32_t height = 0;  // px

  bool operator==(const ImageRecord&) const = default;
};

// A file that could not be used, and the reason.
struct SkippedFile {
  SourceFile file;
  // A word for programs: "unreadable", "empty", "undecodable", "too_small", ...
  std::string reason;
  std::string detail;  // a sentence for people

  bool operator==(const SkippedFile&) const = default;
};

// The wanted size of an image's pixels, by the longest side.
struct WantedSize {
  WantedSize(std::uint32_t at_most, std::uint32_t at_least = 0)  // NOLINT(*-explicit-*)
      : at_most_px(at_most), at_least_px(at_least) {}

  // Returns the same size with another rule for strips. A strip is an image whose shorter side
  // would get less than 1/16 of at_most_px. It gets that much, or as many pixels as a square of
  // at_most_px if these are fewer.
  WantedSize with_strips() const {
    WantedSize size = *this;
    size.strips_px = at_most_px / 16;
    return size;
  }

  std::uint32_t at_most_px;     // larger images are reduced
  std::uint32_t at_least_px;    // smaller images are enlarged, up to at_most_px
  std::uint32_t strips_px = 0;  // the shorter side of strips; 0: as the longest side demands
};

// Stage decode: an image ready for the device. It is grey, upright and of the wanted size, and its
// transparent pixels show a ground.
struct DecodedImage {
  ImageRecord record;  // full size
  GrayImage pixels;    // reduced or enlarged
  double scale = 1;    // px of these pixels per full-size px, on both axes
  // The opacity of each of these pixels, 0: transparent; empty if all are opaque.
  GrayImage alpha{};
  std::string damage{};  // what is wrong with pixels that were guessed; empty if none were
};

// True if a pixel is opaque enough to be compared.
inline constexpr int kLeastOpaque = 128;
inline bool is_opaque(std::uint8_t alpha) {
  return alpha >= kLeastOpaque;
}

// Convert between positions in the full-size image and in its resized pixels. Pixel centres lie at
// whole numbers in both.
inline double to_full_size(double position_px, double scale) {
  return (position_px + 0.5) / scale - 0.5;
}
inline double to_reduced(double position_px, double scale) {
  return (position_px + 0.5) * scale - 0.5;
}

// Stage extract: the features of one image. Keypoints are in px of the upright full-size image,
// even if the features come from a reduced copy.
struct ImageFeatures {
  ImageRecord image;
  FeatureSet features;
};

// Stage variance: exact sums over the grey pixels that stage extract reads.
struct PixelSums {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t sum_of_squares = 0;

  double mean() const;      // 0 for no pixels
  double variance() const;  // sum_of_squares / count - mean^2, from exact integers; 0 for no pixels
  bool operator==(const PixelSums&) const = default;
};

struct ImageStatistics {
  ImageRecord image;
  PixelSums sums;
};

// Stage codebook: visual words, and the projection and thresholds of 64-bit signatures (Jegou,
// Douze, Schmid, "Hamming embedding and weak geometric consistency", ECCV 2008).
inline constexpr std::size_t kSignatureBits = 64;

// Largest size of a stored descriptor, far above SURF's 128: bounds products of sizes.
inline constexpr std::size_t kMaxDescriptorSize = 4096;

// Cells that words are grouped into: cell i has the words starts[i] to starts[i + 1] - 1. A feature
// is compared with the words of the `probes` cells with the nearest centres.
struct WordCells {
  static constexpr std::uint32_t kMaxProbes = 8;

  std::vector<float> centres;         // [c][d]
  std::vector<std::uint32_t> starts;  // [c + 1], ascending without repetition, from 0 to k
  std::uint32_t probes = 0;           // from 1 to kMaxProbes

  bool empty() const { return centres.empty() && starts.empty() && probes == 0; }
  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
  // True if the cells are well-formed for these words, or empty.
  bool fit(std::size_t words, std::size_t descriptor_size) const;
  bool operator==(const WordCells&) const = default;
};

struct Codebook {
  std::size_t descriptor_size = 64;  // d
  std::vector<float> words;          // [k][d]
  std::vector<float> projection;     // [64][d], orthonormal rows
  std::vector<float> thresholds;     // [k][64]: median projections of each word's training features
  WordCells cells{};                 // empty: a feature is compared with all words

  std::size_t size() const { return words.size() / descriptor_size; }
  MatrixView<const float> word_matrix() const { return {words, descriptor_size}; }
};

// Stage assign: a feature as the index stores it.
struct IndexedFeature {
  std::uint32_t word = 0;
  std::uint64_t signature = 0;
  float x = 0;              // px, as Keypoint
  float y = 0;              // px
  float size = 0;           // px
  float angle_degrees = 0;  // [0, 360)
  std::int32_t laplacian_sign = 0;

  bool operator==(const IndexedFeature&) const = default;
};

struct WordCount {
  std::uint32_t word = 0;
  std::uint32_t count = 0;

  bool operator==(const WordCount&) const = default;
};
using SparseHistogram = std::vector<WordCount>;  // words ascending, counts positive

struct ImageWords {
  ImageRecord image;
  std::vector<IndexedFeature> features;  // by word, then in extraction order
  SparseHistogram histogram;
};

// Counts the words of values that ascend by word; `word` projects a value to its word.
template <typename Range, typename Word = std::identity>
SparseHistogram count_words(const Range& ascending, Word word = {}) {
  SparseHistogram histogram;
  for (const auto& value : ascending) {
    const std::uint32_t number = std::invoke(word, value);
    if (histogram.empty() || histogram.back().word != number) histogram.push_back({number, 0});
    ++histogram.back().count;
  }
  return histogram;
}

}  // namespace lookalike
