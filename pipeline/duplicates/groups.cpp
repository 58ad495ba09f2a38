#include "pipeline/duplicates/groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <sys/stat.h>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "pipeline/duplicates/cluster.h"
#include "pipeline/stored_calibration.h"
#include "stages/decode/load.h"

namespace lookalike {
namespace {

using Place = std::size_t;  // index of a file in its group

// The present state of a file.
struct FileNow {
  bool is_as_indexed = false;
  bool is_link = false;
  dev_t device = 0;
  ino_t inode = 0;

  std::pair<dev_t, ino_t> identity() const { return {device, inode}; }
};

FileNow file_now(const SourceFile& file) {
  FileNow now;
  struct stat status {};
  struct stat itself {};
  if (::stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return now;
  now.is_as_indexed = is_same_state(source_file(file.path, status), file);
  now.is_link = ::lstat(file.path.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
  now.device = status.st_dev;
  now.inode = status.st_ino;
  return now;
}

}  // namespace

// A file of a group and what its proposal depends on.
struct GroupCandidate {
  GroupFile file;
  FileNow now;
  KeepCandidate keep;
  std::uint32_t image = 0;  // number
  Scope::Sides sides = 0;
};

namespace {

constexpr std::size_t kSideSets = (Scope::kLeft | Scope::kRight) + 1;

// Reads a file that is not as it was indexed. If its bytes are the indexed ones, it counts as
// indexed now.
void confirm(GroupCandidate& one, const ContentHash& content, const ImagesOptions& limits) {
  if (one.now.is_as_indexed || one.file.file.modified_ns == kUnfinished) return;
  auto loaded = load_file(one.file.file.path, limits);
  const auto* const file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr || file->content != content) return;
  one.now.is_as_indexed = one.keep.is_as_indexed = true;
  one.file.file = one.keep.file = file->file;
}

// Orders files best first, as Group does.
bool is_better(const GroupCandidate& a, const GroupCandidate& b) {
  return choose(a.keep, b.keep).first_stays;
}

// How an image relates to another.
struct Related {
  PairKind kind = PairKind::kExact;
  double probability = 1;
  Relation relation{};  // of the pair by which the other can best replace this one
};

// The places of files, by image and sides.
class FilesByImage {
 public:
  void add(const GroupCandidate& file, Place place) {
    places_[file.image][file.sides].push_back(place);
  }
  // Returns the first file of the image, except one, that meets these sides.
  std::optional<Place> first(std::uint32_t image, Scope::Sides sides, Place except) const {
    const auto found = places_.find(image);
    if (found == places_.end()) return std::nullopt;
    std::optional<Place> result;
    for (std::size_t other = 0; other < found->second.size(); ++other) {
      if (!Scope::meet(sides, static_cast<Scope::Sides>(other))) continue;
      const std::vector<Place>& places = found->second[other];
      const auto at = std::ranges::find_if(places, [&](Place place) { return place != except; });
      if (at != places.end() && (!result || *at < *result)) result = *at;
    }
    return result;
  }
  // Returns the first two files of the images that meet; such files must exist.
  std::pair<Place, Place> first_pair(std::uint32_t a, std::uint32_t b) const {
    std::optional<std::pair<Place, Place>> result;
    const auto& by_sides = places_.at(a);
    for (std::size_t sides = 0; sides < by_sides.size(); ++sides) {
      if (by_sides[sides].empty()) continue;
      const Place from = by_sides[sides].front();
      const std::optional<Place> to = first(b, static_cast<Scope::Sides>(sides), from);
      if (to && (!result || std::pair(from, *to) < *result)) result = {from, *to};
    }
    return result.value();
  }

 private:
  // Places are ascending.
  std::unordered_map<std::uint32_t, std::array<std::vector<Place>, kSideSets>> places_;
};

}  // namespace

// The files of a group, best first, and how their images relate.
struct GroupParts {
  std::vector<GroupCandidate> files;
  FilesByImage by_image;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Related> related;

  // Calls visit(place, how) for each image related to the file, with its first file in `among`.
  template <typename Visit>
  void for_each_partner(Place place, const FilesByImage& among, const Visit& visit) const {
    const GroupCandidate& file = files[place];
    auto at = related.lower_bound({file.image, 0});
    for (; at != related.end() && at->first.first == file.image; ++at) {
      if (const auto other = among.first(at->first.second, file.sides, place)) {
        visit(*other, at->second);
      }
    }
  }
  void place_files() {
    by_image = {};
    for (Place i = 0; i < files.size(); ++i) by_image.add(files[i], i);
  }
};

namespace {

void relate(GroupFile& file, Place other, const Related& how) {
  file.related = other;
  file.kind = how.kind;
  file.probability = how.probability;
}

// Relates a file to the closest before it, or else to the closest after it.
void relate_to_closest(GroupParts& parts, Place place) {
  GroupFile& file = parts.files[place].file;
  const auto closeness = [&](Place other, PairKind kind, double probability) {
    return std::tuple(other < place, kind, probability, -static_cast<std::int64_t>(other));
  };
  const auto is_as_indexed = [&](Place one) { return parts.files[one].now.is_as_indexed; };
  parts.for_each_partner(place, parts.by_image, [&](Place other, const Related& how) {
    // Bytes of unknown content are the same as no others.
    const bool is_known = is_as_indexed(place) && is_as_indexed(other);
    if (how.kind == PairKind::kExact && !is_known) return;
    if (!file.related || closeness(*file.related, file.kind, file.probability) <
                             closeness(other, how.kind, how.probability)) {
      relate(file, other, how);
    }
  });
}

}  // namespace

// Finds how images of a group that were not compared are related.
struct Checks {
  // True if the images that stand for both were compared, or are one.
  std::function<bool(std::uint32_t one, std::uint32_t other)> are_worthwhile;
  // Returns how much their brightness differs, in grey levels.
  std::function<double(std::uint32_t one, std::uint32_t other)> light_distance;
  // Returns how one is related to the other; nothing if they are not, or cannot be compared.
  std::function<std::optional<Related>(std::uint32_t one, std::uint32_t other)> relation;
};

namespace {

// Sets the proposals of a group's files.
class Proposer {
 public:
  Proposer(GroupParts& parts, FileInspector& inspector, const Checks& checks,
           CompanionFinder& companions)
      : parts_(parts), inspector_(inspector), checks_(checks), companions_(companions) {}

  // A second name of a kept file is kept: removing it would free nothing.
  void propose() {
    for (Place place = 0; place < parts_.files.size();) {
      GroupCandidate& one = parts_.files[place];
      if (one.now.is_as_indexed && !kept_files_.contains(one.now.identity())) {
        replacement_.reset();
        lost_.reset();
        look_for_replacement(place);
        if (replacement_) {
          one.file.proposal = Proposal::kGo;
        } else if (put_behind_its_source(place)) {
          continue;
        }
      }
      if (one.now.is_as_indexed && one.file.proposal != Proposal::kGo) keep(place);
      decided_.push_back(std::exchange(replacement_, std::nullopt));
      reasons_.push_back(std::exchange(lost_, std::nullopt));
      ++place;
    }
    parts_.place_files();
    for (Place place = 0; place < parts_.files.size(); ++place) explain(place);
  }

 private:
  using Found = std::pair<Place, Related>;

  void keep(Place place) {
    GroupCandidate& one = parts_.files[place];
    one.file.proposal = Proposal::kKeep;
    kept_.add(one, place);
    kept_places_.push_back(place);
    kept_files_.insert(one.now.identity());
  }

  // Finds the first of the kept files that can replace a file, and what is lost without it if it
  // goes for the first that is related to it.
  void look_for_replacement(Place place) {
    std::optional<Place> nearest;
    parts_.for_each_partner(place, kept_, [&](Place other, const Related& how) {
      if (!replacement_ || other < replacement_->first) consider(place, other, how, nearest);
    });
    if (!replacement_) check_against_kept(place, nearest);
  }

  void consider(Place place, Place other, const Related& how, std::optional<Place>& nearest) {
    std::optional<std::string> lost;
    if (how.kind != PairKind::kExact) {
      lost = lost_without(parts_.files[place].keep, parts_.files[other].keep, how.relation,
                          inspector_);
    }
    if (!lost) lost = lost_companions(place, other);
    if (!lost) replacement_ = {other, how};
    if (lost && (!nearest || other < *nearest)) {
      nearest = other;
      lost_.emplace(Found{other, how}, *std::move(lost));
    }
  }

  std::optional<std::string> lost_companions(Place place, Place other) {
    if (parts_.files[place].keep.companions == 0) return std::nullopt;
    return companions_.lost_without(page_of(parts_.files[place].keep.file.path).file,
                                    page_of(parts_.files[other].keep.file.path).file);
  }

  // Compares a file with two kept files that it was not compared with and that hold all that it
  // holds beside its picture: the best one, and the one most like it in light.
  void check_against_kept(Place place, std::optional<Place>& nearest) {
    const GroupCandidate& one = parts_.files[place];
    std::optional<Place> best;
    std::optional<std::pair<double, Place>> likest;
    for (const Place other : kept_places_) {
      const GroupCandidate& kept = parts_.files[other];
      if (one.image == kept.image || !Scope::meet(one.sides, kept.sides) ||
          parts_.related.contains({one.image, kept.image}) ||
          !checks_.are_worthwhile(one.image, kept.image) ||
          lost_beside_picture(one.keep, kept.keep) || lost_companions(place, other)) {
        continue;
      }
      if (!best) {
        best = other;
        continue;
      }
      const double distance = checks_.light_distance(one.image, kept.image);
      if (!likest || distance < likest->first) likest = {distance, other};
    }
    if (best) check_against(place, *best, nearest);
    if (likest && !replacement_) check_against(place, likest->second, nearest);
  }

  void check_against(Place place, Place other, std::optional<Place>& nearest) {
    const std::uint32_t image = parts_.files[place].image;
    const auto how = checks_.relation(image, parts_.files[other].image);
    if (!how) return;
    parts_.related.try_emplace({image, parts_.files[other].image}, *how);
    consider(place, other, *how, nearest);
  }

  // Moves a file behind all later ones that it was made from, unless the user prefers it.
  bool put_behind_its_source(Place place) {
    const GroupCandidate& one = parts_.files[place];
    if (moved_.contains(one.keep.file.path)) return false;
    for (Place other = parts_.files.size() - 1; other > place; --other) {
      const GroupCandidate& source = parts_.files[other];
      const auto how = parts_.related.find({one.image, source.image});
      if (how == parts_.related.end()) continue;
      if (!source.now.is_as_indexed || source.keep.preference > one.keep.preference) continue;
      if (!Scope::meet(one.sides, source.sides)) continue;
      if (!was_made_from(one.keep, source.keep, how->second.relation, inspector_)) continue;
      moved_.insert(one.keep.file.path);
      const auto begin = parts_.files.begin() + static_cast<std::ptrdiff_t>(place);
      std::rotate(begin, begin + 1, begin + static_cast<std::ptrdiff_t>(other - place) + 1);
      return true;
    }
    return false;
  }

  // Relates a file to its replacement or the closest other, and says why.
  void explain(Place place) {
    GroupCandidate& one = parts_.files[place];
    if (one.file.proposal == Proposal::kGo) {
      const auto& [other, how] = *decided_[place];
      relate(one.file, other, how);
      one.file.reason = reason_to_go(one, parts_.files[other], how);
      return;
    }
    if (place > 0) relate_to_closest(parts_, place);
    if (one.file.proposal != Proposal::kKeep || !reasons_[place]) return;
    const auto& [found, lost] = *reasons_[place];
    relate(one.file, found.first, found.second);
    one.file.reason = lost;
  }

  std::string reason_to_go(const GroupCandidate& one, const GroupCandidate& other,
                           const Related& how) {
    if (was_made_from(one.keep, other.keep, how.relation, inspector_)) {
      return one.keep.size.pixels() == other.keep.size.pixels()
                 ? "it was saved again from the other"
                 : "it was enlarged from the other";
    }
    const bool is_part = how.kind != PairKind::kExact && how.relation.second_shown < kWholeShare;
    if (is_part && one.keep.preference == other.keep.preference) return "the other shows more";
    return std::string(choose(other.keep, one.keep).reason);
  }

  GroupParts& parts_;
  FileInspector& inspector_;
  const Checks& checks_;
  CompanionFinder& companions_;
  FilesByImage kept_;
  std::vector<Place> kept_places_;  // ascending
  std::set<std::pair<dev_t, ino_t>> kept_files_;
  std::set<std::string> moved_;
  std::optional<Found> replacement_;
  std::optional<std::pair<Found, std::string>> lost_;
  std::vector<std::optional<Found>> decided_;  // by place
  std::vector<std::optional<std::pair<Found, std::string>>> reasons_;
};

}  // namespace

std::set<PairKind> usual_kinds() {
  std::set<PairKind> kinds;
  for (const std::string_view name : pair_kind_names()) kinds.insert(pair_kind(name).value());
  kinds.erase(PairKind::kVariant);
  kinds.erase(PairKind::kObject);
  kinds.erase(PairKind::kPart);
  return kinds;
}

std::string_view to_string(Proposal proposal) {
  constexpr std::array<std::string_view, 3> kNames = {"keep", "go", "unknown"};
  return kNames[static_cast<std::size_t>(proposal)];
}

bool are_only_exact(const std::set<PairKind>& kinds) {
  return kinds == std::set{PairKind::kExact};
}

GroupOptions configured(GroupOptions options, const RunConfig& config) {
  options.match = config.match;
  options.images = config.images;
  for (const std::string& folder : config.duplicates.prefer) {
    options.prefer.push_back(normal_path(folder));
  }
  return options;
}

Groups::Groups(const IndexReader& index, std::span<const IndexedImage> images,
               std::span<const std::uint32_t> places, const PairState& state,
               const Rejections& rejections, GroupOptions options, CheckPair check)
    : index_(index),
      images_(images),
      places_(places),
      state_(state),
      options_(std::move(options)),
      calibration_(calibration_for(index, options_.match)),
      companions_(std::make_shared<CompanionFinder>()),
      check_(std::move(check)),
      number_of_(state.images.size()) {
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    number_of_[places_[i]] = i;
    if (images_[i].id >= is_live_.size()) is_live_.resize(std::size_t{images_[i].id} + 1);
    is_live_[images_[i].id] = true;
  }
  for (std::size_t i = 0; i < state.pairs.size(); ++i) {
    const FoundPair& pair = state.pairs[i];
    if (pair.is_check) checks_[{pair.first, pair.second}] = i;
  }
  pairs_ = wanted_pairs();
  std::vector<std::pair<std::string, Members>> named;
  for (Members& members : members_of_groups(rejections)) {
    if (options_.new_only && std::ranges::none_of(members, [&](auto i) { return is_new(i); })) {
      continue;
    }
    const std::vector<GroupCandidate> files = parts_of(members).files;
    if (files.empty()) continue;  // they have left the index since its images were listed
    const auto largest = std::ranges::min_element(files, {}, [](const GroupCandidate& one) {
      const auto pixels = std::int64_t{one.file.size.width} * one.file.size.height;
      return std::tuple(-pixels, one.file.file.path);
    });
    named.emplace_back(largest->file.file.path, std::move(members));
  }
  std::ranges::sort(named);
  for (auto& [path, members] : named) groups_.push_back(std::move(members));
}

// Returns the images of each group, and images with several files alone.
std::vector<Groups::Members> Groups::members_of_groups(const Rejections& rejections) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
  std::vector<bool> is_rejected(images_.size(), false);
  for (const Rejection& rejection : rejections.all()) {
    const auto a = find_image(images_, rejection.a);
    const auto b = find_image(images_, rejection.b);
    if (!a || !b) continue;
    apart.emplace_back(*a, *b);
    is_rejected[*a] = is_rejected[*b] = true;
  }
  // An image and the one that stands for it count as one: a doubtful pair between many copies of
  // two pictures is no doubtful pair between two groups.
  std::vector<std::uint32_t> stand_in(images_.size());
  std::iota(stand_in.begin(), stand_in.end(), 0U);
  for (const Pair& pair : pairs_) {
    const std::uint32_t a = representative_of(pair.a);
    const std::uint32_t b = representative_of(pair.b);
    if (a == pair.b && !is_rejected[pair.a]) stand_in[pair.a] = a;
    if (b == pair.a && !is_rejected[pair.b]) stand_in[pair.b] = b;
  }
  std::vector<Link> links;
  for (const Pair& pair : pairs_) {
    links.push_back(
        {stand_in[pair.a], stand_in[pair.b], pair.relation.kind, pair.relation.probability});
  }
  std::vector<Members> with_stand_in(images_.size());
  for (std::uint32_t i = 0; i < images_.size(); ++i) with_stand_in[stand_in[i]].push_back(i);
  std::vector<Members> groups;
  std::vector<bool> is_grouped(images_.size(), false);
  for (const Members& cluster : clusters(images_.size(), links, apart)) {
    Members& members = groups.emplace_back();
    for (const std::uint32_t image : cluster) {
      is_grouped[image] = true;
      std::ranges::copy(with_stand_in[image], std::back_inserter(members));
    }
    std::ranges::sort(members);
  }
  const bool are_exact_wanted = options_.kinds.contains(PairKind::kExact);
  for (std::uint32_t i = 0; i < images_.size(); ++i) {
    if (stand_in[i] != i || is_grouped[i]) continue;
    const bool are_exact = are_exact_wanted && has_exact_pair(i);
    if (with_stand_in[i].size() > 1 || are_exact) groups.push_back(std::move(with_stand_in[i]));
  }
  return groups;
}

// Returns the image that stands for one, perhaps itself.
std::uint32_t Groups::representative_of(std::uint32_t image) const {
  const std::optional<std::uint32_t>& place = state_.images[places_[image]].representative;
  return place ? number_of_[*place] : image;
}

// Returns a found pair if it is sure and meets in the scope.
std::optional<Groups::Pair> Groups::pair_of(std::size_t number) const {
  const FoundPair& found = state_.pairs[number];
  const IndexedImage& first = images_[number_of_[found.first]];
  const IndexedImage& second = images_[number_of_[found.second]];
  if (!Scope::meet(first.sides, second.sides)) return std::nullopt;
  const Relation relation =
      relation_of(found, first.size, second.size, calibration_, options_.match);
  if (relation.probability < options_.min_probability) return std::nullopt;
  return Pair{number_of_[found.first], number_of_[found.second], number, relation};
}

// Returns the sure pairs of the wanted kinds that meet in the scope, by a, then b, closest kind
// first, without checks.
std::vector<Groups::Pair> Groups::wanted_pairs() const {
  if (are_only_exact(options_.kinds)) return {};
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    if (state_.pairs[i].is_check) continue;
    if (std::optional<Pair> pair = pair_of(i)) pairs.push_back(*std::move(pair));
  }
  set_collages_apart(pairs);
  std::erase_if(pairs,
                [&](const Pair& pair) { return !options_.kinds.contains(pair.relation.kind); });
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Pair& pair = pairs[i];
    return std::tuple(pair.a, pair.b, -static_cast<int>(pair.relation.kind), pair.found);
  });
  std::vector<Pair> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(pairs[i]));
  return sorted;
}

// Gives pairs of a collage and a picture in it the kind kPart, so that they join no group. A
// collage shows at least two pictures whole, apart from each other, each with an edge all around.
void Groups::set_collages_apart(std::vector<Pair>& pairs) const {
  struct Crop {
    Pair* pair;
    Quad place;  // in the larger image
  };
  std::map<std::uint32_t, std::vector<Crop>> crops;  // by the larger image
  for (Pair& pair : pairs) {
    if (pair.relation.kind < PairKind::kCrop || pair.relation.kind > PairKind::kTurned) continue;
    const Homography& map = state_.pairs[pair.found].first_to_second;
    const bool first_is_whole = pair.relation.first_shown >= kWholeShare;
    const bool second_is_whole = pair.relation.second_shown >= kWholeShare;
    if (first_is_whole == second_is_whole) continue;
    const PictureSize size = images_[first_is_whole ? pair.a : pair.b].size;
    crops[first_is_whole ? pair.b : pair.a].push_back(
        {&pair, outline(first_is_whole ? map : map.inverse(), size.width, size.height)});
  }
  FileInspector inspector(options_.images);
  for (const auto& [larger, its_crops] : crops) {
    const std::vector<Crop>& found = its_crops;
    constexpr double kApart = 0.1;
    const auto is_apart = [&](const Crop& one) {
      return std::ranges::any_of(found, [&](const Crop& other) {
        return intersection_over_union(clockwise(one.place), clockwise(other.place)) < kApart;
      });
    };
    if (found.size() < 2 || !std::ranges::any_of(found, is_apart)) continue;
    const KeepCandidate file = candidate_of(larger);
    for (const Crop& crop : found) {
      if (inspector.is_pasted(file, crop.place)) crop.pair->relation.kind = PairKind::kPart;
    }
  }
}

// Returns the first file of an image that is as indexed, or else its last one.
KeepCandidate Groups::candidate_of(std::uint32_t image) const {
  KeepCandidate candidate;
  candidate.size = images_[image].size;
  for (const SourceFile& file : index_.files_of(images_[image].id)) {
    if (!is_path(file.path)) continue;
    candidate.file = file;
    candidate.file.path = page_name(file.path, images_[image].page);
    if (file_now(file).is_as_indexed) break;
  }
  return candidate;
}

bool Groups::is_new(std::uint32_t image) const {
  return images_[image].files > state_.images[places_[image]].reported_files;
}

// Only first pages count: two identical multi-page files are one pair.
bool Groups::has_exact_pair(std::uint32_t image) const {
  if (images_[image].files < 2 || images_[image].page > 1) return false;
  if (options_.scope.is_all()) return true;
  std::set<Scope::Sides> seen;
  for (const SourceFile& file : index_.files_of(images_[image].id)) {
    const Scope::Sides sides = options_.scope.sides_of(file.path);
    if (std::ranges::any_of(seen, [&](auto other) { return Scope::meet(sides, other); })) {
      return true;
    }
    seen.insert(sides);
  }
  return false;
}

// Returns the found pairs between images of a group.
std::vector<const Groups::Pair*> Groups::pairs_among(const Members& members) const {
  std::vector<const Pair*> pairs;
  for (const std::uint32_t image : members) {
    auto pair = std::ranges::lower_bound(pairs_, image, {}, &Pair::a);
    for (; pair != pairs_.end() && pair->a == image; ++pair) {
      if (std::ranges::binary_search(members, pair->b)) pairs.push_back(&*pair);
    }
  }
  return pairs;
}

GroupParts Groups::parts_of(const Members& members) const {
  GroupParts parts;
  const auto relate = [&](std::uint32_t from, std::uint32_t to, const Related& how) {
    Related& known = parts.related.try_emplace({from, to}, how).first->second;
    const auto hides = [&](const Related& one) {
      return !what_is_hidden(one.relation, images_[from].size, images_[to].size).empty();
    };
    if (hides(known) && !hides(how)) known.relation = how.relation;
    if (std::tie(known.kind, known.probability) < std::tie(how.kind, how.probability)) {
      known.kind = how.kind;
      known.probability = how.probability;
    }
  };
  for (const Pair* pair : pairs_among(members)) {
    const Relation& there = pair->relation;
    const Relation back =
        there.reversed(state_.pairs[pair->found].first_to_second, images_[pair->b].size);
    relate(pair->a, pair->b, {there.kind, there.probability, there});
    relate(pair->b, pair->a, {back.kind, back.probability, back});
  }
  for (const std::uint32_t image : members) {
    if (options_.kinds.contains(PairKind::kExact)) relate(image, image, {});
    for (SourceFile& file : index_.files_of(images_[image].id)) {
      GroupCandidate one;
      one.sides = options_.scope.sides_of(file.path);
      if (one.sides == 0) continue;
      one.image = image;
      one.now = file_now(file);
      const std::size_t preference = preference_of(file.path, options_.prefer);
      file.path = page_name(file.path, images_[image].page);
      one.keep = {.file = file,
                  .size = images_[image].size,
                  .is_as_indexed = one.now.is_as_indexed,
                  .is_link = one.now.is_link,
                  .pages = images_[image].pages,
                  .preference = preference,
                  .name = rank_of_name(file.path)};
      one.file = {.file = std::move(file),
                  .image = images_[image].id,
                  .size = images_[image].size,
                  .is_new = is_new(image)};
      parts.files.push_back(std::move(one));
    }
  }
  parts.place_files();
  // Drop files without a partner in scope; an image with files on both sides may have some.
  std::vector<GroupCandidate> met;
  for (Place i = 0; i < parts.files.size(); ++i) {
    bool is_met = false;
    parts.for_each_partner(i, parts.by_image, [&](Place, auto&) { is_met = true; });
    if (is_met) met.push_back(std::move(parts.files[i]));
  }
  parts.files = std::move(met);
  parts.place_files();
  return parts;
}

// Returns the pairs that hold a group together.
std::set<const Groups::Pair*> Groups::joints_among(const std::vector<const Pair*>& pairs) {
  std::vector<Link> links;
  links.reserve(pairs.size());
  for (const Pair* pair : pairs) {
    links.push_back({pair->a, pair->b, pair->relation.kind, pair->relation.probability});
  }
  std::set<const Pair*> result;
  for (const std::size_t joint : joints(links)) result.insert(pairs[joint]);
  return result;
}

// Returns the checks of a group's images, which add the pairs that they find.
Checks Groups::checks_among(const std::vector<const Pair*>& pairs,
                            std::vector<Pair>& checked) const {
  using Ends = std::pair<std::uint32_t, std::uint32_t>;  // representatives, ascending
  const auto link_of = [this](std::uint32_t one, std::uint32_t other) {
    const auto [a, b] = std::minmax(representative_of(one), representative_of(other));
    return Ends{a, b};
  };
  auto links = std::make_shared<std::map<Ends, bool>>();  // whether they are mirrored
  for (const Pair* pair : pairs) {
    links->try_emplace(link_of(pair->a, pair->b), state_.pairs[pair->found].mirrored);
  }
  return {[this, links, link_of](std::uint32_t one, std::uint32_t other) {
            const Ends link = link_of(one, other);
            return link.first == link.second || links->contains(link);
          },
          [this](std::uint32_t one, std::uint32_t other) {
            const PixelSums& a = images_[one].sums;
            const PixelSums& b = images_[other].sums;
            return std::abs(a.mean() - b.mean()) +
                   std::abs(std::sqrt(a.variance()) - std::sqrt(b.variance()));
          },
          [this, links, link_of, &checked](std::uint32_t one,
                                           std::uint32_t other) -> std::optional<Related> {
            const auto link = links->find(link_of(one, other));
            const auto found = check(one, other, link != links->end() && link->second);
            if (!found || !options_.kinds.contains(found->relation.kind)) return std::nullopt;
            checked.push_back(*found);
            const Relation& there = found->relation;
            const bool is_there = found->a == one;
            const Relation relation =
                is_there ? there
                         : there.reversed(state_.pairs[found->found].first_to_second,
                                          images_[found->b].size);
            return Related{relation.kind, relation.probability, relation};
          }};
}

// Returns the sure pair of two images that were not compared to group them.
std::optional<Groups::Pair> Groups::check(std::uint32_t one, std::uint32_t other,
                                          bool mirrored) const {
  const auto [first, second] = std::minmax(places_[one], places_[other]);
  const auto known = checks_.find({first, second});
  std::optional<std::size_t> number;
  if (known != checks_.end()) {
    number = known->second;
  } else if (check_) {
    number = check_(first, second, mirrored);
    if (number) checks_[{first, second}] = *number;
  }
  return number ? pair_of(*number) : std::nullopt;
}

std::size_t Groups::same_print(ImageId image) const {
  const std::vector<PrintEdge> edges = index_.prints(image);
  return static_cast<std::size_t>(std::ranges::count_if(edges, [&](const PrintEdge& edge) {
    return edge.image < is_live_.size() && is_live_[edge.image];
  }));
}

std::size_t Groups::images_of_prints() const {
  const std::vector<ImageId> with_prints = index_.images_with_prints();
  return static_cast<std::size_t>(std::ranges::count_if(images_, [&](const IndexedImage& image) {
    return image.sides != 0 && std::ranges::binary_search(with_prints, image.id) &&
           same_print(image.id) > 0;
  }));
}

std::vector<std::size_t> Groups::groups_of(ImageId image) const {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const bool has_image = std::ranges::any_of(
        groups_[number], [&](std::uint32_t member) { return images_[member].id == image; });
    if (has_image) numbers.push_back(number);
  }
  return numbers;
}

Group Groups::group(std::size_t number) const {
  GroupParts parts = parts_of(groups_[number]);
  FileInspector inspector(options_.images);
  std::map<std::uint32_t, KeepCandidate> known;  // by image: its files have the same bytes
  for (GroupCandidate& one : parts.files) {
    confirm(one, images_[one.image].content, options_.images);
    if (!one.now.is_as_indexed) continue;
    one.keep.companions = companions_->companions_of(page_of(one.keep.file.path).file).size();
    if (groups_[number].size() == 1) continue;  // files of the same bytes hold the same
    const auto [at, is_new] = known.try_emplace(one.image, one.keep);
    if (is_new) inspector.describe(at->second);
    one.keep.description = at->second.description;
    one.keep.metadata = at->second.metadata;
  }
  std::ranges::sort(parts.files, is_better);
  parts.place_files();
  const std::vector<const Pair*> pairs = pairs_among(groups_[number]);
  std::vector<Pair> checked;
  Proposer(parts, inspector, checks_among(pairs, checked), *companions_).propose();
  Group group;
  const std::set<const Pair*> joints = joints_among(pairs);
  const auto add = [&](const Pair& pair, bool is_joint) {
    const auto [first, second] = parts.by_image.first_pair(pair.a, pair.b);
    group.pairs.push_back({first, second, state_.pairs[pair.found], pair.relation, is_joint});
  };
  for (const Pair* pair : pairs) add(*pair, joints.contains(pair));
  for (const Pair& pair : checked) add(pair, false);
  std::ranges::sort(group.pairs, {}, [](const GroupPair& pair) {
    return std::tuple(pair.first, pair.second, -static_cast<int>(pair.relation.kind));
  });
  for (GroupCandidate& one : parts.files) {
    one.file.same_print = same_print(one.file.image);
    group.files.push_back(std::move(one.file));
  }
  return group;
}

}  // namespace lookalike
