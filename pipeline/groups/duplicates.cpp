#include "pipeline/groups/duplicates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sys/stat.h>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/content_hash.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/groups/groups.h"

namespace lookalike {
namespace {

using Place = std::size_t;  // of a file in its group

// A file as it is now.
struct FileNow {
  bool is_as_indexed = false;
  bool is_link = false;
  dev_t device = 0;
  ino_t inode = 0;

  bool is_same_file(const FileNow& other) const {
    return device == other.device && inode == other.inode;
  }
};

FileNow file_now(const SourceFile& file) {
  FileNow now;
  struct stat status {};
  struct stat itself {};
  if (::stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return now;
  const std::int64_t modified_ns =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  now.is_as_indexed = static_cast<std::uint64_t>(status.st_size) == file.size_bytes &&
                      modified_ns == file.modified_ns;
  now.is_link = ::lstat(file.path.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
  now.device = status.st_dev;
  now.inode = status.st_ino;
  return now;
}

struct Candidate {
  GroupFile file;
  FileNow now;
  std::uint32_t image = 0;  // number
};

// The best first; see Group.
bool is_better(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& one) {
    const auto pixels = std::int64_t{one.file.size.width} * one.file.size.height;
    return std::tuple(!one.now.is_as_indexed, -pixels,
                      -static_cast<std::int64_t>(one.file.file.size_bytes));
  };
  const auto tie = [](const Candidate& one) {
    return std::tuple(one.now.is_link, one.file.file.modified_ns, one.file.file.path);
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : tie(a) < tie(b);
}

// How the file at one place relates to that at another.
struct Related {
  PairKind kind = PairKind::kExact;
  double probability = 1;
  bool is_all_shown = true;  // by the other
};

}  // namespace

std::string_view to_string(Proposal proposal) {
  constexpr std::array<std::string_view, 3> kNames = {"keep", "go", "unknown"};
  return kNames[static_cast<std::size_t>(proposal)];
}

Groups::Groups(const IndexReader& index, std::span<const IndexedImage> images,
               std::span<const std::uint32_t> places, const PairState& state,
               const Rejections& rejections, GroupOptions options)
    : index_(index),
      images_(images),
      places_(places),
      state_(state),
      options_(std::move(options)),
      calibration_(stored_calibration(index)),
      pairs_(wanted_pairs()) {
  std::vector<Link> links;
  for (const Pair& pair : pairs_) {
    links.push_back({pair.a, pair.b, pair.relation.kind, pair.relation.probability});
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
  const auto number = [&](const ContentHash& content) {
    const auto found = std::ranges::lower_bound(images_, content, {}, &IndexedImage::content);
    const bool is_there = found != images_.end() && found->content == content;
    return is_there ? std::optional(static_cast<std::uint32_t>(found - images_.begin()))
                    : std::nullopt;
  };
  for (const Rejection& rejection : rejections.all()) {
    const auto a = number(rejection.a);
    const auto b = number(rejection.b);
    if (a && b) apart.emplace_back(*a, *b);
  }
  std::vector<Members> found = grouped(images_.size(), links, apart);
  if (options_.kinds.contains(PairKind::kExact)) {
    std::vector<bool> grouped_already(images_.size(), false);
    for (const Members& members : found) {
      for (const std::uint32_t image : members) grouped_already[image] = true;
    }
    for (std::uint32_t i = 0; i < images_.size(); ++i) {
      if (!grouped_already[i] && has_exact_pair(i)) found.push_back({i});
    }
  }
  std::vector<std::pair<std::string, Members>> named;
  for (Members& members : found) {
    if (options_.new_only && std::ranges::none_of(members, [&](auto i) { return is_new(i); })) {
      continue;
    }
    const Group group = group_of(members);
    named.emplace_back(group.files.front().file.path, std::move(members));
  }
  std::ranges::sort(named);
  for (auto& [path, members] : named) groups_.push_back(std::move(members));
}

Group Groups::group(std::size_t i) const {
  return group_of(groups_[i]);
}

// The sure pairs of the wanted kinds that meet in the scope.
std::vector<Groups::Pair> Groups::wanted_pairs() const {
  std::vector<std::uint32_t> number(state_.images.size(), 0);
  for (std::uint32_t i = 0; i < places_.size(); ++i) number[places_[i]] = i;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    const FoundPair& found = state_.pairs[i];
    const IndexedImage& first = images_[number[found.first]];
    const IndexedImage& second = images_[number[found.second]];
    if (!Scope::meet(first.sides, second.sides)) continue;
    const Relation relation =
        relation_of(found, first.size, second.size, calibration_, options_.match);
    if (relation.probability < options_.min_probability) continue;
    if (!options_.kinds.contains(relation.kind)) continue;
    pairs.push_back({number[found.first], number[found.second], i, relation});
  }
  std::ranges::sort(pairs, {}, [](const Pair& pair) {
    return std::tuple(pair.a, pair.b, -static_cast<int>(pair.relation.kind), pair.found);
  });
  return pairs;
}

bool Groups::is_new(std::uint32_t image) const {
  return images_[image].files > state_.images[places_[image]].reported_files;
}

bool Groups::has_exact_pair(std::uint32_t image) const {
  if (images_[image].files < 2) return false;
  if (options_.scope.is_all()) return true;
  std::vector<Scope::Sides> sides;
  for (const SourceFile& file : index_.files_of(images_[image].id)) {
    sides.push_back(options_.scope.sides_of(file.path));
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (Scope::meet(sides[i], sides[k])) return true;
    }
  }
  return false;
}

Group Groups::group_of(const Members& members) const {
  std::vector<Candidate> candidates;
  for (const std::uint32_t image : members) {
    for (SourceFile& file : index_.files_of(images_[image].id)) {
      if (options_.scope.sides_of(file.path) == 0) continue;
      Candidate one;
      one.image = image;
      one.now = file_now(file);
      one.file = {.file = std::move(file),
                  .image = images_[image].id,
                  .size = images_[image].size,
                  .is_new = is_new(image)};
      candidates.push_back(std::move(one));
    }
  }
  std::ranges::sort(candidates, is_better);
  std::unordered_map<std::uint32_t, Place> first_file;  // of each image
  for (Place i = 0; i < candidates.size(); ++i) first_file.try_emplace(candidates[i].image, i);

  Group group;
  for (const std::uint32_t image : members) {
    auto pair = std::ranges::lower_bound(pairs_, image, {}, &Pair::a);
    for (; pair != pairs_.end() && pair->a == image; ++pair) {
      if (!std::ranges::binary_search(members, pair->b)) continue;
      group.pairs.push_back({first_file.at(pair->a), first_file.at(pair->b),
                             state_.pairs[pair->found], pair->relation});
    }
  }
  std::ranges::sort(group.pairs, {}, [](const GroupPair& pair) {
    return std::tuple(pair.first, pair.second, -static_cast<int>(pair.relation.kind));
  });

  // By the places of the first files of two images: how the one relates to the other.
  std::map<std::pair<Place, Place>, Related> related;
  const auto relate = [&](Place from, Place to, const Related& how) {
    Related& known = related.try_emplace({from, to}, how).first->second;
    known.is_all_shown = known.is_all_shown || how.is_all_shown;
    if (std::tie(known.kind, known.probability) < std::tie(how.kind, how.probability)) {
      known.kind = how.kind;
      known.probability = how.probability;
    }
  };
  for (const GroupPair& pair : group.pairs) {
    const PictureSize first = candidates[pair.first].file.size;
    const PictureSize second = candidates[pair.second].file.size;
    const Relation back = pair.relation.reversed(pair.found.first_to_second, second);
    const Relation& there = pair.relation;
    relate(pair.first, pair.second,
           {there.kind, there.probability, shows_all(there, first, second)});
    relate(pair.second, pair.first, {back.kind, back.probability, shows_all(back, second, first)});
  }
  const auto relation = [&](Place from, Place to) -> std::optional<Related> {
    if (candidates[from].image == candidates[to].image) {
      return options_.kinds.contains(PairKind::kExact) ? std::optional(Related{}) : std::nullopt;
    }
    const auto found =
        related.find({first_file.at(candidates[from].image), first_file.at(candidates[to].image)});
    return found == related.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<Place> kept;
  for (Place i = 0; i < candidates.size(); ++i) {
    Candidate& one = candidates[i];
    GroupFile& file = one.file;
    for (Place k = 0; k < i; ++k) {
      const std::optional<Related> how = relation(i, k);
      if (how && (!file.related ||
                  std::tie(file.kind, file.probability) < std::tie(how->kind, how->probability))) {
        file.related = k;
        file.kind = how->kind;
        file.probability = how->probability;
      }
    }
    if (!one.now.is_as_indexed) continue;
    file.proposal = Proposal::kKeep;
    const bool is_kept_file =
        std::ranges::any_of(kept, [&](Place k) { return candidates[k].now.is_same_file(one.now); });
    const auto shown_by = std::ranges::find_if(kept, [&](Place k) {
      const std::optional<Related> how = relation(i, k);
      return how && how->is_all_shown;
    });
    if (!is_kept_file && shown_by != kept.end()) {
      const Related how = *relation(i, *shown_by);
      file.proposal = Proposal::kGo;
      file.related = *shown_by;
      file.kind = how.kind;
      file.probability = how.probability;
    } else {
      kept.push_back(i);
    }
  }
  for (Candidate& one : candidates) group.files.push_back(std::move(one.file));
  return group;
}

void mark_reported(std::span<const IndexedImage> images, std::span<const std::uint32_t> places,
                   PairState& state) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    state.images[places[i]].reported_files = images[i].files;
  }
}

}  // namespace lookalike
