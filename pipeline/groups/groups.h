#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pipeline/groups/compare.h"
#include "pipeline/groups/pair.h"
#include "pipeline/groups/rejections.h"

namespace lookalike {

// What is proposed for a file. Nothing is proposed for one that is gone, has changed since it was
// indexed, or has a page that could not be read: what it shows now is unknown.
enum class Proposal { kKeep, kGo, kUnknown };

// "keep", "go", "unknown".
std::string_view to_string(Proposal proposal);

// A file of a group.
struct GroupFile {
  SourceFile file;  // as indexed
  ImageId image = 0;
  PictureSize size{};
  Proposal proposal = Proposal::kUnknown;
  bool is_new = false;  // its image has more files than when a run last reported it
  // How it relates to another file of the group: to the one that makes it needless, where it may
  // go; else to the closest of those before it; else to the closest after it. Nothing for the first
  // file alone.
  std::optional<std::size_t> related{};  // place of that file in the group
  PairKind kind = PairKind::kExact;
  double probability = 1;
};

// A pair of images of a group; one file stands for each, such that the two meet in the scope.
struct GroupPair {
  std::size_t first = 0;  // places in the group
  std::size_t second = 0;
  FoundPair found;  // its numbers are those of the state
  Relation relation;
};

// Files that show the same thing, best first: by pixels, then by bytes, which at one resolution is
// the quality of the encoding, then links, then the older, then by path; those that are unknown
// come last. Files that meet none of the others in the scope are left out.
struct Group {
  std::vector<GroupFile> files;
  std::vector<GroupPair> pairs;  // by first, then second
};

struct GroupOptions {
  std::set<PairKind> kinds;
  double min_probability = 0;
  bool new_only = false;  // groups with a new file
  Scope scope{};
  MatchOptions match{};
};

// What `lookalike duplicates` reports unless it is asked for more: pairs whose pixels agree, all
// kinds but object and part.
std::set<PairKind> usual_kinds();
// Of pairs of photos of one thing, three quarters are right from here on; those whose pixels agree
// were all right. docs/measurements/quality.md, "Groups".
inline constexpr double kUsualProbability = 0.95;

struct GroupParts;

// The groups of an index, one at a time, so that memory does not grow with their content.
class Groups {
 public:
  // images and places: as adopt_images() took and gave them. All must outlive this.
  Groups(const IndexReader& index, std::span<const IndexedImage> images,
         std::span<const std::uint32_t> places, const PairState& state,
         const Rejections& rejections, GroupOptions options);

  // Ordered by the path of their first file.
  std::size_t size() const { return groups_.size(); }
  Group group(std::size_t number) const;  // from 0

 private:
  struct Pair {
    std::uint32_t a = 0;  // numbers of images
    std::uint32_t b = 0;
    std::size_t found = 0;  // in the state
    Relation relation;      // of a to b
  };
  using Members = std::vector<std::uint32_t>;  // numbers of images, ascending

  std::vector<Pair> wanted_pairs() const;
  bool is_new(std::uint32_t image) const;
  bool has_exact_pair(std::uint32_t image) const;
  std::vector<const Pair*> pairs_among(const Members& members) const;
  GroupParts parts_of(const Members& members) const;

  const IndexReader& index_;
  std::span<const IndexedImage> images_;
  std::span<const std::uint32_t> places_;
  const PairState& state_;
  const GroupOptions options_;
  const Calibration calibration_;
  std::vector<Pair> pairs_;  // by a, then b
  std::vector<Members> groups_;
};

}  // namespace lookalike
