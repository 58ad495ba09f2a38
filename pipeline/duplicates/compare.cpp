#include "pipeline/duplicates/compare.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "pipeline/duplicates/cluster.h"
#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kNoTurn = std::numeric_limits<std::size_t>::max();
// Images that are compared at the same time. Independent of the number of cores, since it decides
// among which images one votes.
constexpr std::size_t kMostAtOnce = 16;

}  // namespace

Scope::Scope(std::span<const std::string> left, std::span<const std::string> right)
    : is_all_(false), left_(left), right_(right) {}

Scope::Sides Scope::sides_of(const std::string& path) const {
  if (!is_path(path)) return 0;
  if (is_all_) return kLeft | kRight;
  const auto side = [&](const PathSet& folders, Sides value) {
    return folders.innermost(path) != nullptr ? value : Sides{0};
  };
  return static_cast<Sides>(side(left_, kLeft) | side(right_, kRight));
}

std::vector<IndexedImage> indexed_images(const IndexReader& index, const Scope& scope) {
  std::vector<IndexedImage> images;
  index.for_each_image([&](const StoredImage& image) {
    IndexedImage& one = images.emplace_back();
    one.content = image.content;
    one.id = image.id;
    one.size = {image.width, image.height};
    one.sums = image.sums;
    one.page = image.page;
    one.pages = image.pages;
    one.files = static_cast<std::uint32_t>(std::ranges::count_if(image.paths, is_path));
    one.has_features = image.feature_count > 0;
    for (const std::string& path : image.paths) one.sides |= scope.sides_of(page_of(path).file);
  });
  std::ranges::sort(images, {}, &IndexedImage::content);
  return images;
}

std::optional<std::uint32_t> find_image(std::span<const IndexedImage> images,
                                        const ContentHash& content) {
  const auto found = std::ranges::lower_bound(images, content, {}, &IndexedImage::content);
  if (found == images.end() || found->content != content) return std::nullopt;
  return static_cast<std::uint32_t>(found - images.begin());
}

std::vector<std::uint32_t> adopt_images(std::span<const IndexedImage> images, PairState& state) {
  std::vector<std::uint32_t> places(images.size(), kNowhere);
  std::vector<std::uint32_t> moved(state.images.size(), kNowhere);
  std::vector<ComparedImage> kept;
  for (std::size_t i = 0; i < state.images.size(); ++i) {
    const auto at = find_image(images, state.images[i].content);
    if (!at || places[*at] != kNowhere) continue;
    places[*at] = moved[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(state.images[i]);
  }
  for (ComparedImage& image : kept) {
    if (!image.representative) continue;
    image.representative = moved[*image.representative];
    if (*image.representative == kNowhere) image.compare_again();
  }
  state.images = std::move(kept);
  std::erase_if(state.pairs, [&](FoundPair& pair) {
    pair.first = moved[pair.first];
    pair.second = moved[pair.second];
    return pair.first == kNowhere || pair.second == kNowhere;
  });
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (places[i] == kNowhere) added.push_back(i);
  }
  std::ranges::stable_sort(added, std::ranges::greater(),
                           [&](std::size_t i) { return images[i].size.pixels(); });
  for (const std::size_t i : added) {
    places[i] = static_cast<std::uint32_t>(state.images.size());
    state.images.push_back({.content = images[i].content});
  }
  return places;
}

FoundPair found_pair(const Match& match, std::uint32_t first, std::uint32_t second) {
  FoundPair pair{.first = first,
                 .second = second,
                 .mirrored = match.pose.mirrored,
                 .has_part = match.pose.part.has_value(),
                 .evidence = match.evidence,
                 .first_to_second = match.pose.object_to_query};
  if (first > second) {
    std::swap(pair.first, pair.second);
    pair.first_to_second = match.pose.object_to_query.inverse();
  }
  return pair;
}

namespace {

// Reads an indexed image again as a photo.
std::optional<Query> photo_of(const IndexReader& index, Searcher& searcher, ImageId image) {
  const StoredImage stored = index.image(image).value();
  for (const std::string& path : stored.paths) {
    if (!is_path(path)) continue;
    auto loaded = searcher.load(path);
    auto* photo = std::get_if<Query>(&loaded);
    if (photo != nullptr && photo->image.record.content == stored.content) return std::move(*photo);
  }
  return std::nullopt;
}

}  // namespace

std::optional<FoundPair> compare_pair(const IndexReader& index, Searcher& searcher,
                                      const ContentHash& first, const ContentHash& second,
                                      bool mirrored) {
  const std::optional<ImageId> one = index.find(first);
  const std::optional<ImageId> other = index.find(second);
  if (!one || !other) return std::nullopt;
  SurePairs pairs;
  if (mirrored) {
    const std::optional<Query> photo = photo_of(index, searcher, *other);
    if (!photo) return std::nullopt;
    ImageSet voters(std::size_t{*one} + 1);
    voters.add(*one);
    const auto always = [](ImageId) { return true; };
    pairs = searcher.mirrored_pairs(*photo,
                                    {.images = voters, .is_early = always, .is_wanted = always});
  } else {
    pairs = searcher.pair(*other, *one);
  }
  if (!pairs.all_read) return std::nullopt;
  FoundPair none{.first = 0, .second = 1, .mirrored = mirrored};
  return pairs.matches.empty() ? none : found_pair(pairs.matches.front(), 0, 1);
}

PairSearch::PairSearch(std::span<const IndexedImage> images, Rules rules, PairState& state)
    : rules_(std::move(rules)),
      state_(state),
      image_at_(state.images.size()),
      turn_of_(state.images.size(), kNoTurn),
      rank_(state.images.size()) {
  std::unordered_map<ContentHash, std::uint32_t, ContentHasher> places;
  for (std::uint32_t i = 0; i < state.images.size(); ++i) places[state.images[i].content] = i;
  for (const IndexedImage& image : images) {
    const auto found = places.find(image.content);
    require(found != places.end(), "PairSearch: an image was not adopted");
    image_at_[found->second] = &image;
    if (image.id >= place_of_.size()) place_of_.resize(std::size_t{image.id} + 1, kNowhere);
    place_of_[image.id] = found->second;
  }
  for (Place at = 0; at < image_at_.size(); ++at) {
    const IndexedImage& image = *image_at_[at];
    ComparedImage& known = state.images[at];
    // Its representative does not stand for it here.
    if (known.representative &&
        (is_rejected(at, *known.representative) ||
         !Scope::meet(image.sides, image_at_[*known.representative]->sides))) {
      known.compare_again();
    }
    rank_[at] = comparable_;
    if (!image.has_features || image.sides == 0) continue;
    ++comparable_;
    if (known.compared && (mirror_image_is_known(known) || !rules_.mirror)) continue;
    work_.push_back(at);
  }
  pending_ = work_.size();
  number_turns();
  find_twins();
  // Incomplete comparisons are repeated and find their pairs again.
  std::erase_if(state.pairs, [&](const FoundPair& pair) {
    if (pair.is_check) {
      return turn_of_[pair.first] != kNoTurn || turn_of_[pair.second] != kNoTurn;
    }
    const ComparedImage& second = state.images[pair.second];
    return pair.mirrored ? rules_.mirror && !mirror_image_is_known(second) : !second.compared;
  });
  for (const FoundPair& pair : state.pairs) {
    if (turn_of_[pair.first] != kNoTurn && turn_of_[pair.second] == kNoTurn) {
      known_.insert({pair.first, pair.second, pair.mirrored});
    }
  }
  shown_by_.resize(state.images.size());
  if (work_.empty()) return;
  for (const FoundPair& pair : state.pairs) note_shown(pair);
}

void PairSearch::number_turns() {
  std::ranges::fill(turn_of_, kNoTurn);
  for (Turn turn = 0; turn < work_.size(); ++turn) turn_of_[work_[turn]] = turn;
}

// Finds for each image the first one with the same picture_key(): its pixels are probably the same,
// or those of its mirror image.
void PairSearch::find_twins() {
  twin_of_.assign(image_at_.size(), kNowhere);
  has_joined_.assign(image_at_.size(), false);
  std::unordered_map<std::uint64_t, Place> first;  // by picture_key()
  for (Place at = 0; at < image_at_.size(); ++at) {
    const IndexedImage& image = *image_at_[at];
    if (!image.has_features || image.sides == 0) continue;
    const auto [known, is_first] =
        first.try_emplace(picture_key(image.size.width, image.size.height, image.sums), at);
    if (is_first || !Scope::meet(image.sides, image_at_[known->second]->sides)) continue;
    twin_of_[at] = known->second;
    const std::optional<Place>& stands = state_.images[at].representative;
    has_joined_[at] = stands && (stands == known->second ||
                                 stands == state_.images[known->second].representative);
  }
}

// Compares two images alone; returns nothing unless the first one joins the other.
std::optional<FoundPair> PairSearch::sure_copy(Place at, Place other, Searcher& searcher) const {
  if (!Scope::meet(image_at_[at]->sides, image_at_[other]->sides)) return std::nullopt;
  const SurePairs found = searcher.pair(image_at_[at]->id, image_at_[other]->id);
  if (!found.all_read || found.matches.empty()) return std::nullopt;
  FoundPair pair = pair_with(found.matches.front(), at);
  return is_sure_copy(pair, at) ? std::optional(std::move(pair)) : std::nullopt;
}

// Joins pending images to their twins, or to what stands for these. Returns false if after_each()
// did.
bool PairSearch::join_twins(Searcher& searcher,
                            const std::function<bool(std::size_t done)>& after_each) {
  std::vector<std::pair<Place, Place>> some;  // with the images that they may join
  for (const Place at : work_) {
    if (twin_of_[at] == kNowhere || state_.images[at].compared) continue;
    some.emplace_back(at, state_.images[twin_of_[at]].representative.value_or(twin_of_[at]));
  }
  if (some.empty()) return true;
  OrderedParallel<std::optional<FoundPair>> pairs(
      some.size(), core_count(), std::min(4 * core_count(), kMostAtOnce),
      [&](std::size_t i) { return sure_copy(some[i].first, some[i].second, searcher); });
  bool is_stopped = false;
  for (std::size_t i = 0; i < some.size() && !is_stopped; ++i) {
    std::optional<FoundPair> pair = *pairs.next();
    if (!pair) continue;
    const auto [at, representative] = some[i];
    state_.pairs.push_back(*std::move(pair));
    state_.images[at].compared = true;
    state_.images[at].representative = representative;
    has_joined_[at] = true;
    turn_of_[at] = kNoTurn;
    is_stopped = !after_each(++joined_) && joined_ < pending_;
  }
  std::erase_if(work_, [&](Place at) { return turn_of_[at] == kNoTurn; });
  number_turns();
  return !is_stopped;
}

// Moves the images that have joined `first` to its new representative.
void PairSearch::move_twins(Place first, Place representative, Searcher& searcher) {
  std::vector<Place> twins;
  for (Place at = first; at < twin_of_.size(); ++at) {
    if (twin_of_[at] == first && has_joined_[at]) twins.push_back(at);
  }
  std::vector<std::optional<FoundPair>> pairs(twins.size());
  parallel_for(twins.size(), core_count(),
               [&](std::size_t i) { pairs[i] = sure_copy(twins[i], representative, searcher); });
  for (std::size_t i = 0; i < twins.size(); ++i) {
    std::optional<Place>& stands = state_.images[twins[i]].representative;
    stands = pairs[i] ? std::optional(representative) : std::nullopt;
    if (pairs[i]) state_.pairs.push_back(*std::move(pairs[i]));
  }
}

bool PairSearch::mirror_image_is_known(const ComparedImage& image) const {
  return image.mirrored || image.representative;
}

bool PairSearch::is_rejected(Place one, Place other) const {
  return rules_.rejections.contains(image_at_[one]->content, image_at_[other]->content);
}

// True if no image that stands for the other one meets these sides.
bool PairSearch::represents_itself(Place other, Scope::Sides sides) const {
  if (has_joined_[other]) return !Scope::meet(sides, image_at_[twin_of_[other]]->sides);
  const std::optional<Place>& representative = state_.images[other].representative;
  return !representative || !Scope::meet(sides, image_at_[*representative]->sides);
}

// True if the image comes so long before another one that it is in the state when the other one is
// compared, whatever runs at the same time.
bool PairSearch::is_early(Place other, Place at) const {
  return other > at || rank_[other] + kMostAtOnce < rank_[at];
}

// Waits until all turns up to one are in the state. Returns false if the search was stopped.
bool PairSearch::wait_for(Turn turn) {
  std::unique_lock lock(settling_);
  settled_more_.wait(lock, [&] { return stopped_ || settled_ > turn; });
  return settled_ > turn;
}

// Returns the images among which one looks for its pairs: the representatives in its scope that
// were compared before. The last ones before it count as such, so that images can be compared at
// the same time; a resumed search has the same voters.
ImageSet PairSearch::voters_for(Turn turn) {
  const Place at = work_[turn];
  const Scope::Sides sides = image_at_[at]->sides;
  Turn last = kNoTurn;
  for (Turn before = turn; before-- > 0 && last == kNoTurn;) {
    if (is_early(work_[before], at)) last = before;
  }
  if (last != kNoTurn) wait_for(last);
  ImageSet voters(place_of_.size());
  for (Place other = 0; other < image_at_.size(); ++other) {
    if (other == at || !Scope::meet(sides, image_at_[other]->sides)) continue;
    if (other > at && turn_of_[other] != kNoTurn) continue;
    if (has_joined_[other] && twin_of_[other] == at) continue;
    const bool is_known = has_joined_[other] || is_early(other, at);
    if (is_known && !represents_itself(other, sides)) continue;
    voters.add(image_at_[other]->id);
  }
  return voters;
}

FoundPair PairSearch::pair_with(const Match& match, Place at) const {
  return found_pair(match, place_of_[match.image.id], at);
}

// True if an image can stand for another one; see the class.
bool PairSearch::is_sure_copy(const FoundPair& pair, Place at) const {
  constexpr double kAsManyPixels = 1.1;
  const Place other = pair.first == at ? pair.second : pair.first;
  const PictureSize first = image_at_[pair.first]->size;
  const PictureSize second = image_at_[pair.second]->size;
  if (image_at_[at]->size.pixels() > kAsManyPixels * image_at_[other]->size.pixels()) return false;
  if (is_rejected(at, other)) return false;
  const Relation relation = relation_of(pair, first, second, rules_.calibration, rules_.match);
  return relation.kind == PairKind::kCopy && relation.probability >= kStrongProbability &&
         relation.difference && !relation.difference->is_relit;
}

// True if the first image surely shows all that the second does.
bool PairSearch::shows_all(const FoundPair& pair) const {
  const PictureSize first = image_at_[pair.first]->size;
  const PictureSize second = image_at_[pair.second]->size;
  const Relation relation = relation_of(pair, first, second, rules_.calibration, rules_.match);
  return relation.probability >= kStrongProbability &&
         what_is_hidden(relation.reversed(pair.first_to_second, second), second, first).empty();
}

void PairSearch::note_shown(const FoundPair& pair) {
  if (!pair.is_check && shows_all(pair)) shown_by_[pair.second].push_back(pair.first);
}

// True if an image was found that shows all of both, and they are no copies of each other by their
// features.
bool PairSearch::is_known_through(const Match& match, std::span<const Match> found, Place at) {
  const PictureSize size = image_at_[at]->size;
  if (fills(match.pose.quad, size.width, size.height)) return false;
  const std::vector<Place>& shown_by = shown_by_[place_of_[match.image.id]];
  return std::ranges::any_of(found, [&](const Match& other) {
    const Place place = place_of_[other.image.id];
    if (place > at || std::ranges::find(shown_by, place) == shown_by.end()) return false;
    return shows_all(pair_with(other, at));
  });
}

PairSearch::Found PairSearch::compare(Turn turn, const IndexReader& index, Searcher& searcher) {
  const Place at = work_[turn];
  const IndexedImage& image = *image_at_[at];
  const ComparedImage known = state_.images[at];  // only run() changes it, after this
  const ImageSet voters = voters_for(turn);
  const auto place_of = [&](ImageId other) { return place_of_[other]; };
  PairCandidates candidates{
      .images = voters,
      .share = static_cast<double>(rank_[at] + 1) / static_cast<double>(comparable_),
      .is_early = [&](ImageId other) { return is_early(place_of(other), at); },
      .is_wanted =
          [&](ImageId other) {
            const Place place = place_of(other);
            if (turn_of_[place] != kNoTurn && !wait_for(turn_of_[place])) return false;
            return represents_itself(place, image.sides);
          }};
  Found found;
  found.compared = known.compared;
  found.mirrored = known.mirrored;
  const auto add = [&](const SurePairs& pairs) {
    for (const Match& match : pairs.matches) {
      FoundPair pair = pair_with(match, at);
      if (!known_.contains({pair.first, pair.second, pair.mirrored})) {
        found.pairs.push_back(std::move(pair));
      }
    }
    return pairs.all_read;
  };
  if (!known.compared) {
    candidates.is_needless = [&](const Match& match, std::span<const Match> so_far) {
      return is_known_through(match, so_far, at);
    };
    candidates.is_enough = [&](const Match& match) {
      return is_sure_copy(pair_with(match, at), at);
    };
    const SurePairs pairs = searcher.pairs(image.id, candidates);
    found.compared = add(pairs);
    if (found.compared && pairs.enough) found.representative = place_of(*pairs.enough);
    candidates.is_enough = {};
    candidates.is_needless = {};
  }
  if (!rules_.mirror || found.mirrored || found.representative) return found;
  if (const std::optional<Query> photo = photo_of(index, searcher, image.id)) {
    found.mirrored = add(searcher.mirrored_pairs(*photo, candidates));
  }
  return found;
}

bool PairSearch::run(const IndexReader& index, Searcher& searcher,
                     const std::function<bool(std::size_t done)>& after_each) {
  if (!join_twins(searcher, after_each)) return false;
  OrderedParallel<Found> results(work_.size(), core_count(),
                                 std::min(4 * core_count(), kMostAtOnce),
                                 [&](std::size_t turn) { return compare(turn, index, searcher); });
  struct EndOfWaiting {
    ~EndOfWaiting() {
      const std::lock_guard lock(search.settling_);
      search.stopped_ = true;
      search.settled_more_.notify_all();
    }
    PairSearch& search;
  } const end_of_waiting{*this};  // before the threads are joined
  for (Turn turn = 0; turn < work_.size(); ++turn) {
    Found found = *results.next();
    for (const FoundPair& pair : found.pairs) {
      if (pair.second == work_[turn]) note_shown(pair);
    }
    std::ranges::move(found.pairs, std::back_inserter(state_.pairs));
    if (!found.compared || (rules_.mirror && !found.mirrored && !found.representative)) {
      ++incomplete_;
    }
    if (found.representative) move_twins(work_[turn], *found.representative, searcher);
    {
      const std::lock_guard lock(settling_);
      ComparedImage& image = state_.images[work_[turn]];
      image.compared = found.compared;
      image.mirrored = found.mirrored;
      if (found.representative) image.representative = found.representative;
      settled_ = turn + 1;
    }
    settled_more_.notify_all();
    if (!after_each(joined_ + turn + 1) && turn + 1 < work_.size()) return false;
  }
  return true;
}

}  // namespace lookalike
