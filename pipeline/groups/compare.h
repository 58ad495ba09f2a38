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

// The pairs of files to look for: one from a left, one from a right set of folders.
class Scope {
 public:
  using Sides = std::uint8_t;  // kLeft, kRight, both or neither
  static constexpr Sides kLeft = 1;
  static constexpr Sides kRight = 2;

  Scope() = default;  // all pairs
  // Folders or files, in the form of normal_path(). For pairs within a set, pass it twice.
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

// An image of the index, for comparing and grouping.
struct IndexedImage {
  ContentHash content{};
  ImageId id = 0;
  PictureSize size{};
  std::uint32_t page = 1;   // in its files
  std::uint32_t pages = 1;  // last indexed page in its files
  std::uint32_t files = 0;  // number of its files
  bool has_features = false;
  Scope::Sides sides = 0;  // all its files together
};

// Returns all images of the index, by content.
std::vector<IndexedImage> indexed_images(const IndexReader& index, const Scope& scope);

// Returns the number of the image with this content, if any.
std::optional<std::uint32_t> find_image(std::span<const IndexedImage> images,
                                        const ContentHash& content);

// Adapts the state to these images: removes others with their pairs and appends new ones, by
// content. Afterwards images[i] is state.images[result[i]].
std::vector<std::uint32_t> adopt_images(std::span<const IndexedImage> images, PairState& state);

// Compares the images that were not compared yet with all images before them.
class PairSearch {
 public:
  // images: those of the index, after adopt_images(). mirror: also search for mirror images. All
  // arguments must outlive the search.
  PairSearch(std::span<const IndexedImage> images, bool mirror, PairState& state);

  std::size_t pending() const { return work_.size(); }
  // Returns the number of images that run() compared without some picture, because it could not be
  // read. They are pending again in the next search.
  std::size_t incomplete() const { return incomplete_; }

  // Compares on all cores and adds to the state in order: the pairs do not depend on the number of
  // threads, and another search can resume after a stop. Skips images outside the scope; the state
  // of a search within a scope must not be saved. Calls after_each(done) on the caller's thread
  // after each image and stops when it returns false. Returns whether all images were compared.
  bool run(const IndexReader& index, Searcher& searcher,
           const std::function<bool(std::size_t done)>& after_each);

 private:
  struct Found {
    std::vector<FoundPair> pairs;
    // The new state of the image.
    bool compared = false;
    bool mirrored = false;
  };
  Found compare(std::uint32_t at, const IndexReader& index, Searcher& searcher) const;

  PairState& state_;
  const bool mirror_;
  std::vector<const IndexedImage*> image_at_;  // by place in the state
  std::vector<std::uint32_t> place_of_;        // place in the state, by image id
  std::vector<std::uint32_t> work_;            // places, ascending
  std::size_t incomplete_ = 0;
};

}  // namespace lookalike
