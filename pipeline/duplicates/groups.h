#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/duplicates/companions.h"
#include "pipeline/duplicates/compare.h"
#include "pipeline/duplicates/keep.h"
#include "pipeline/duplicates/pair.h"
#include "pipeline/duplicates/rejections.h"

namespace lookalike {

// What is proposed for a file. kUnknown if the file is gone, has other bytes than when it was
// indexed, or has an unreadable page, so that its present content is unknown.
enum class Proposal { kKeep, kGo, kUnknown };

// "keep", "go", "unknown".
std::string_view to_string(Proposal proposal);

// A file of a group.
struct GroupFile {
  SourceFile file;  // as when its bytes were last compared with the index, by a run or just now
  ImageId image = 0;
  PictureSize size{};
  Proposal proposal = Proposal::kUnknown;
  bool is_new = false;         // its image has more files than when a run last reported it
  std::size_t same_print = 0;  // see Groups::same_print()
  // The relation to another file of the group: to its replacement if the proposal is kGo, else to
  // the closest file before it, else to the closest one after it. The first file has none. Only
  // files of known content are kExact.
  std::optional<std::size_t> related{};  // place of the other file in the group
  PairKind kind = PairKind::kExact;
  double probability = 1;
  // Why it goes, by the rule that decided, or what would be lost if it went for the file it is
  // related to. Empty where nothing was decided.
  std::string reason{};
};

// A pair of images of a group, each represented by one file, such that the two meet in the scope.
struct GroupPair {
  std::size_t first = 0;  // places in the group
  std::size_t second = 0;
  FoundPair found;  // with the numbers of the state
  Relation relation;
  // True if two parts of the group hang together by no stronger pair; see joints().
  bool is_joint = false;
};

// Files that show the same thing, best first by the rules of choose() (keep.h); but a file that was
// enlarged or saved again comes behind the one it was made from. Files of unknown content come
// last. Files that meet no other in the scope are left out.
struct Group {
  std::vector<GroupFile> files;
  std::vector<GroupPair> pairs;  // by first, then second
};

struct GroupOptions {
  std::set<PairKind> kinds;
  double min_probability = 0;
  bool new_only = false;  // only groups with a new file
  Scope scope{};
  std::vector<std::string> prefer{};  // folders whose files stay first, in order
  ImagesOptions images{};
  MatchOptions match{};
};

// True if the index's hashes answer, so that no images are compared: only exact copies are wanted.
bool are_only_exact(const std::set<PairKind>& kinds);

// Returns options with the tables of a configuration: match, images and duplicates.prefer.
GroupOptions configured(GroupOptions options, const RunConfig& config);

// Returns the kinds that `lookalike duplicates` reports by default: all except variant, object and
// part.
std::set<PairKind> usual_kinds();
// Default minimum probability. From here on three quarters of the pairs of photos of one thing were
// right, and all whose pixels agree. docs/measurements/quality.md, "Groups".
inline constexpr double kUsualProbability = 0.95;

struct GroupParts;
struct Checks;

// Compares two images, by their numbers in PairState::images, the smaller one first, and adds the
// result to the pairs of that state: see FoundPair::is_check. Returns its number, or nothing if
// they cannot be compared.
using CheckPair = std::function<std::optional<std::size_t>(std::uint32_t first,
                                                           std::uint32_t second, bool mirrored)>;

// The groups of an index, one at a time, so that memory does not grow with their content.
class Groups {
 public:
  // images and places: argument and result of adopt_images(). All must outlive this.
  //   check  compares a file with one that stays, before it is proposed to go for that one, if
  //   their
  //          images were not compared; empty: it stays
  Groups(const IndexReader& index, std::span<const IndexedImage> images,
         std::span<const std::uint32_t> places, const PairState& state,
         const Rejections& rejections, GroupOptions options, CheckPair check = {});

  // Ordered by the path of the file with the most pixels; ties: the first path.
  std::size_t size() const { return groups_.size(); }
  Group group(std::size_t number) const;  // from 0
  // Returns the number of images of an image's print with other content, such as other fills of a
  // form: those that the index keeps (PrintEdge), at most kMostPrints. None goes for another.
  std::size_t same_print(ImageId image) const;
  // Returns the number of images in the scope whose same_print() is not 0.
  std::size_t images_of_prints() const;
  // Returns the numbers of the groups that hold an image, ascending, without reading files.
  std::vector<std::size_t> groups_of(ImageId image) const;

 private:
  struct Pair {
    std::uint32_t a = 0;  // numbers of images
    std::uint32_t b = 0;
    std::size_t found = 0;  // in the state
    Relation relation;      // from a to b
  };
  using Members = std::vector<std::uint32_t>;  // numbers of images, ascending
  std::vector<Pair> wanted_pairs() const;
  std::optional<Pair> pair_of(std::size_t number) const;
  std::uint32_t representative_of(std::uint32_t image) const;
  std::vector<Members> members_of_groups(const Rejections& rejections) const;
  bool is_new(std::uint32_t image) const;
  bool has_exact_pair(std::uint32_t image) const;
  void set_collages_apart(std::vector<Pair>& pairs) const;
  KeepCandidate candidate_of(std::uint32_t image) const;
  std::vector<const Pair*> pairs_among(const Members& members) const;
  GroupParts parts_of(const Members& members) const;
  static std::set<const Pair*> joints_among(const std::vector<const Pair*>& pairs);
  Checks checks_among(const std::vector<const Pair*>& pairs, std::vector<Pair>& checked) const;
  std::optional<Pair> check(std::uint32_t one, std::uint32_t other, bool mirrored) const;

  const IndexReader& index_;
  std::span<const IndexedImage> images_;
  std::span<const std::uint32_t> places_;
  const PairState& state_;
  const GroupOptions options_;
  const Calibration calibration_;
  const std::shared_ptr<CompanionFinder> companions_;
  const CheckPair check_;
  std::vector<std::uint32_t> number_of_;  // of the image, by place in the state
  std::vector<bool> is_live_;             // by image
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> checks_;  // by places
  std::vector<Pair> pairs_;                                                        // by a, then b
  std::vector<Members> groups_;
};

}  // namespace lookalike
