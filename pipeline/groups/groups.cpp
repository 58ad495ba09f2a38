#include "pipeline/groups/groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <sys/stat.h>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "pipeline/groups/cluster.h"
#include "pipeline/stored_calibration.h"
#include "stages/decode/image_header.h"

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
  now.is_as_indexed = static_cast<std::uint64_t>(status.st_size) == file.size_bytes &&
                      modified_ns(status) == file.modified_ns;
  now.is_link = ::lstat(file.path.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
  now.device = status.st_dev;
  now.inode = status.st_ino;
  return now;
}

// True if the file has more than the indexed picture: a RAW file has the sensor's data, of which
// the picture is a preview; an animation has further pictures. Also true if it cannot be read.
bool holds_more(const std::string& path) {
  constexpr std::size_t kHeaderBytes = std::size_t{1} << 16U;
  auto bytes = read_file(path, kHeaderBytes);
  // The first directory of a TIFF file, which distinguishes RAW, is often at its end.
  if (bytes && (bytes->starts_with("II*") || bytes->starts_with("MM"))) bytes = read_file(path);
  if (!bytes) return true;
  const ImageFormat format = format_of(bytes_of(*bytes));
  return format == ImageFormat::kRaw || format == ImageFormat::kGif ||
         format == ImageFormat::kAnimatedWebp;
}

}  // namespace

// A file of a group and what its proposal depends on.
struct GroupCandidate {
  GroupFile file;
  FileNow now;
  std::uint32_t image = 0;  // number
  Scope::Sides sides = 0;
  bool has_pages = false;  // more than one
};

namespace {

constexpr std::size_t kSideSets = (Scope::kLeft | Scope::kRight) + 1;

// Orders files best first, as Group does.
bool is_better(const GroupCandidate& a, const GroupCandidate& b) {
  const auto rank = [](const GroupCandidate& one) {
    const auto pixels = std::int64_t{one.file.size.width} * one.file.size.height;
    return std::tuple(!one.now.is_as_indexed, -pixels,
                      -static_cast<std::int64_t>(one.file.file.size_bytes));
  };
  const auto tie = [](const GroupCandidate& one) {
    return std::tuple(one.now.is_link, one.file.file.modified_ns, one.file.file.path);
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : tie(a) < tie(b);
}

// How an image relates to another.
struct Related {
  PairKind kind = PairKind::kExact;
  double probability = 1;
  bool is_all_shown = true;  // the other image shows all of this one
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
    for (Scope::Sides other = 0; other < found->second.size(); ++other) {
      if (!Scope::meet(sides, other)) continue;
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
    for (Scope::Sides sides = 0; sides < by_sides.size(); ++sides) {
      if (by_sides[sides].empty()) continue;
      const Place from = by_sides[sides].front();
      const std::optional<Place> to = first(b, sides, from);
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
  parts.for_each_partner(place, parts.by_image, [&](Place other, const Related& how) {
    if (!file.related || closeness(*file.related, file.kind, file.probability) <
                             closeness(other, how.kind, how.probability)) {
      relate(file, other, how);
    }
  });
}

// Returns the first of the kept files that can replace a file.
std::optional<std::pair<Place, Related>> replacement_of(const GroupParts& parts, Place place,
                                                        const FilesByImage& kept) {
  const GroupCandidate& one = parts.files[place];
  std::optional<bool> has_more;  // read from the file when it matters
  const auto is_dispensable = [&](const Related& how) {
    if (how.kind == PairKind::kExact) return true;
    if (!how.is_all_shown || one.has_pages) return false;
    if (!has_more) has_more = holds_more(one.file.file.path);
    return !*has_more;
  };
  std::optional<std::pair<Place, Related>> replacement;
  parts.for_each_partner(place, kept, [&](Place other, const Related& how) {
    if (replacement && replacement->first < other) return;
    if (is_dispensable(how)) replacement = {other, how};
  });
  return replacement;
}

// Sets the proposal of each file and what it is related to. A second name of a kept file is kept:
// removing it would free nothing.
void propose(GroupParts& parts) {
  FilesByImage kept;
  std::set<std::pair<dev_t, ino_t>> kept_files;
  for (Place place = 0; place < parts.files.size(); ++place) {
    GroupCandidate& one = parts.files[place];
    if (place > 0) relate_to_closest(parts, place);
    if (!one.now.is_as_indexed) continue;
    const bool is_kept = kept_files.contains(one.now.identity());
    if (const auto other = is_kept ? std::nullopt : replacement_of(parts, place, kept)) {
      one.file.proposal = Proposal::kGo;
      relate(one.file, other->first, other->second);
    } else {
      one.file.proposal = Proposal::kKeep;
      kept.add(one, place);
      kept_files.insert(one.now.identity());
    }
  }
}

}  // namespace

std::set<PairKind> usual_kinds() {
  std::set<PairKind> kinds;
  for (const std::string_view name : pair_kind_names()) kinds.insert(pair_kind(name).value());
  kinds.erase(PairKind::kObject);
  kinds.erase(PairKind::kPart);
  return kinds;
}

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
      calibration_(calibration_for(index, options_.match)),
      pairs_(wanted_pairs()) {
  std::vector<Link> links;
  for (const Pair& pair : pairs_) {
    links.push_back({pair.a, pair.b, pair.relation.kind, pair.relation.probability});
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
  for (const Rejection& rejection : rejections.all()) {
    const auto a = find_image(images_, rejection.a);
    const auto b = find_image(images_, rejection.b);
    if (a && b) apart.emplace_back(*a, *b);
  }
  std::vector<Members> found = clusters(images_.size(), links, apart);
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
    std::string path = parts_of(members).files.front().file.file.path;
    named.emplace_back(std::move(path), std::move(members));
  }
  std::ranges::sort(named);
  for (auto& [path, members] : named) groups_.push_back(std::move(members));
}

// Returns the sure pairs of the wanted kinds that meet in the scope, by a, then b, closest kind
// first.
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
    known.is_all_shown = known.is_all_shown || how.is_all_shown;
    if (std::tie(known.kind, known.probability) < std::tie(how.kind, how.probability)) {
      known.kind = how.kind;
      known.probability = how.probability;
    }
  };
  for (const Pair* pair : pairs_among(members)) {
    const PictureSize a = images_[pair->a].size;
    const PictureSize b = images_[pair->b].size;
    const Relation& there = pair->relation;
    const Relation back = there.reversed(state_.pairs[pair->found].first_to_second, b);
    relate(pair->a, pair->b, {there.kind, there.probability, shows_all(there, a, b)});
    relate(pair->b, pair->a, {back.kind, back.probability, shows_all(back, b, a)});
  }
  for (const std::uint32_t image : members) {
    if (options_.kinds.contains(PairKind::kExact)) relate(image, image, {});
    for (SourceFile& file : index_.files_of(images_[image].id)) {
      GroupCandidate one;
      one.sides = options_.scope.sides_of(file.path);
      if (one.sides == 0) continue;
      one.image = image;
      one.has_pages = images_[image].pages > 1;
      one.now = file_now(file);
      file.path = page_name(file.path, images_[image].page);
      one.file = {.file = std::move(file),
                  .image = images_[image].id,
                  .size = images_[image].size,
                  .is_new = is_new(image)};
      parts.files.push_back(std::move(one));
    }
  }
  std::ranges::sort(parts.files, is_better);
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

Group Groups::group(std::size_t number) const {
  GroupParts parts = parts_of(groups_[number]);
  propose(parts);
  Group group;
  for (const Pair* pair : pairs_among(groups_[number])) {
    const auto [first, second] = parts.by_image.first_pair(pair->a, pair->b);
    group.pairs.push_back({first, second, state_.pairs[pair->found], pair->relation});
  }
  std::ranges::sort(group.pairs, {}, [](const GroupPair& pair) {
    return std::tuple(pair.first, pair.second, -static_cast<int>(pair.relation.kind));
  });
  for (GroupCandidate& one : parts.files) group.files.push_back(std::move(one.file));
  return group;
}

}  // namespace lookalike
