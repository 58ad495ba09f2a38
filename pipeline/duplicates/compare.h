#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/path_set.h"
#include "pipeline/duplicates/pair_file.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/searcher.h"
#include "stages/match/decide/calibration.h"
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
  PixelSums sums{};
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

// Adapts the state to these images: removes others with their pairs and appends new ones, those
// with the most pixels first, then by content. An image whose representative is removed is to be
// compared again. Afterwards images[i] is state.images[result[i]].
std::vector<std::uint32_t> adopt_images(std::span<const IndexedImage> images, PairState& state);

// Returns the pair of a match with the image `second`. See FoundPair.
FoundPair found_pair(const Match& match, std::uint32_t first, std::uint32_t second);

// Compares two indexed images alone. The pair, with the numbers 0 and 1, has no pose if they do not
// surely show the same. Returns nothing if a picture cannot be read.
std::optional<FoundPair> compare_pair(const IndexReader& index, Searcher& searcher,
                                      const ContentHash& first, const ContentHash& second,
                                      bool mirrored);

// Compares the images that were not compared yet with the representatives among those before them.
// An image is compared with the likeliest ones first. If it surely is a copy of one, of no more
// pixels and in the same light, it joins it and is compared with no other; else it becomes a
// representative. Two images that a third one shows whole are compared only if each may be the
// whole of the other. So the comparisons grow with the number of images, not with the square of
// those that are alike. Images whose decoded pixels have equal sums are twins. Before all other
// comparisons, each twin is compared with the first of them, or with its representative. A sure
// copy joins it and is compared with no other.
class PairSearch {
 public:
  // What decides which pairs are looked for, and which are sure copies.
  struct Rules {
    bool mirror = false;  // also search for mirror images
    Calibration calibration{};
    MatchOptions match{};
    Rejections rejections{};
  };
  //   images  of the index, already adopted by the state (adopt_images())
  // The images and the state must outlive the search.
  PairSearch(std::span<const IndexedImage> images, Rules rules, PairState& state);

  std::size_t pending() const { return pending_; }
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
  using Place = std::uint32_t;  // in the state
  using Turn = std::size_t;     // in work_

  struct Found {
    std::vector<FoundPair> pairs;
    // The new state of the image.
    bool compared = false;
    bool mirrored = false;
    std::optional<Place> representative{};
  };
  void find_twins();
  bool join_twins(Searcher& searcher, const std::function<bool(std::size_t done)>& after_each);
  void move_twins(Place first, Place representative, Searcher& searcher);
  std::optional<FoundPair> sure_copy(Place at, Place other, Searcher& searcher) const;
  void number_turns();
  Found compare(Turn turn, const IndexReader& index, Searcher& searcher);
  ImageSet voters_for(Turn turn);
  bool represents_itself(Place other, Scope::Sides sides) const;
  bool is_early(Place other, Place at) const;
  bool is_rejected(Place one, Place other) const;
  bool is_sure_copy(const FoundPair& pair, Place at) const;
  bool shows_all(const FoundPair& pair) const;
  void note_shown(const FoundPair& pair);
  bool is_known_through(const Match& match, std::span<const Match> found, Place at);
  FoundPair pair_with(const Match& match, Place at) const;
  bool mirror_image_is_known(const ComparedImage& image) const;
  bool wait_for(Turn turn);

  const Rules rules_;
  PairState& state_;
  std::vector<const IndexedImage*> image_at_;  // by place
  std::vector<Place> place_of_;                // by image id
  std::vector<Place> twin_of_;                 // by place: the first with equal sums, or kNowhere
  std::vector<bool> has_joined_;               // by place: true if it has joined its twin
  std::vector<Place> work_;                    // ascending
  std::size_t pending_ = 0;                    // images in work_ before run()
  std::size_t joined_ = 0;                     // of these, twins that have joined another image
  std::vector<Turn> turn_of_;                  // by place; kNoTurn for what is not in work_
  std::vector<std::size_t> rank_;              // by place: number of comparable images before it
  std::size_t comparable_ = 0;                 // images that can be compared
  // Pairs of pending images with later ones, and whether they are mirrored.
  std::set<std::tuple<Place, Place, bool>> known_;
  std::size_t incomplete_ = 0;
  std::vector<std::vector<Place>> shown_by_;  // by place: earlier images that show all of it
  std::mutex settling_;  // guards what follows, and the entries of work_ in the state
  std::condition_variable settled_more_;
  Turn settled_ = 0;  // all turns before it are in the state
  bool stopped_ = false;
};

}  // namespace lookalike
