#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/path_set.h"
#include "pipeline/groups/pair_file.h"
#include "pipeline/searcher.h"
#include "stages/match/verify/pose.h"
#include "storage/index_reader.h"

namespace lookalike {

// Which pairs of files are looked for: one of a left and one of a right set of folders.
class Scope {
 public:
  using Sides = std::uint8_t;  // kLeft, kRight, both or neither
  static constexpr Sides kLeft = 1;
  static constexpr Sides kRight = 2;

  Scope() = default;  // all pairs
  // Folders or files, in the form of normal_path(); for pairs within a set, it is both sides.
  Scope(std::span<const std::string> left, std::span<const std::string> right);

  bool is_all() const { return is_all_; }
  Sides sides_of(const std::string& path) const;
  static bool meet(Sides a, Sides b) {
    return ((a & kLeft) != 0 && (b & kRight) != 0) || ((a & kRight) != 0 && (b & kLeft) != 0);
  }

 private:
  bool is_all_ = true;
  PathSet left_;
  PathSet right_;
};

// An image of the index, as comparing and grouping need it.
struct IndexedImage {
  ContentHash content{};
  ImageId id = 0;
  PictureSize size{};
  std::uint32_t page = 1;   // of its files
  std::uint32_t pages = 1;  // of these, the last that is indexed
  std::uint32_t files = 0;  // all of them
  bool has_features = false;
  Scope::Sides sides = 0;  // of its files
};

// All images of the index, by content.
std::vector<IndexedImage> indexed_images(const IndexReader& index, const Scope& scope);

// The number of the image with this content, if it is there.
std::optional<std::uint32_t> find_image(std::span<const IndexedImage> images,
                                        const ContentHash& content);

// Brings the state to these images: forgets others and their pairs, and appends new ones, by
// content. images[i] is then state.images[result[i]].
std::vector<std::uint32_t> adopt_images(std::span<const IndexedImage> images, PairState& state);

// Looks for the pairs of those images that were not compared yet with the images before them.
class PairSearch {
 public:
  // images: of the index, and adopted by the state. With `mirror`, mirror images are looked for
  // too. All must outlive the search.
  PairSearch(std::span<const IndexedImage> images, bool mirror, PairState& state);

  std::size_t pending() const { return work_.size(); }
  // Of the images that run() compared, those for which a picture could not be read: they remain
  // pending for the next search.
  std::size_t incomplete() const { return incomplete_; }

  // Compares on all cores, and adds to the state in order, so that pairs do not depend on the
  // number of threads, and a stopped search leaves a state from which another resumes.
  // Images outside the scope of `images` are left alone; a search that is not of all pairs leaves a
  // state that must not be saved. Calls after_each(done) on the caller's thread after each image,
  // and stops when it returns false; returns whether all were compared.
  bool run(const IndexReader& index, Searcher& searcher,
           const std::function<bool(std::size_t done)>& after_each);

 private:
  struct Found {
    std::vector<FoundPair> pairs;
    // What became of the image's state.
    bool compared = false;
    bool mirrored = false;
  };
  Found compare(std::uint32_t at, const IndexReader& index, Searcher& searcher) const;

  PairState& state_;
  const bool mirror_;
  std::vector<const IndexedImage*> image_at_;  // by place in the state
  std::vector<std::uint32_t> place_of_;        // in the state, by image id
  std::vector<std::uint32_t> work_;            // places, ascending
  std::size_t incomplete_ = 0;
};

}  // namespace lookalike
