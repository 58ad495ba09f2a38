#include "pipeline/groups/compare.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Scope::Scope(std::span<const std::string> left, std::span<const std::string> right)
    : is_all_(false), left_(left), right_(right) {}

Scope::Sides Scope::sides_of(const std::string& path) const {
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
    one.page = image.page;
    one.pages = image.pages;
    one.files = static_cast<std::uint32_t>(image.paths.size());
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
  state.images = std::move(kept);
  std::erase_if(state.pairs, [&](FoundPair& pair) {
    pair.first = moved[pair.first];
    pair.second = moved[pair.second];
    return pair.first == kNowhere || pair.second == kNowhere;
  });
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (places[i] != kNowhere) continue;
    places[i] = static_cast<std::uint32_t>(state.images.size());
    state.images.push_back({.content = images[i].content});
  }
  return places;
}

PairSearch::PairSearch(std::span<const IndexedImage> images, bool mirror, PairState& state)
    : state_(state), mirror_(mirror), image_at_(state.images.size()) {
  std::unordered_map<ContentHash, std::uint32_t, ContentHasher> places;
  for (std::uint32_t i = 0; i < state.images.size(); ++i) places[state.images[i].content] = i;
  for (const IndexedImage& image : images) {
    const auto found = places.find(image.content);
    require(found != places.end(), "PairSearch: an image was not adopted");
    image_at_[found->second] = &image;
    if (image.id >= place_of_.size()) place_of_.resize(std::size_t{image.id} + 1, kNowhere);
    place_of_[image.id] = found->second;
  }
  for (std::uint32_t at = 0; at < image_at_.size(); ++at) {
    const IndexedImage& image = *image_at_[at];
    const ComparedImage& known = state.images[at];
    const bool is_done = known.compared && (known.mirrored || !mirror);
    if (!is_done && image.has_features && image.sides != 0) work_.push_back(at);
  }
  // Incomplete comparisons are repeated and find their pairs again.
  std::erase_if(state.pairs, [&](const FoundPair& pair) {
    const ComparedImage& second = state.images[pair.second];
    return pair.mirrored ? mirror && !second.mirrored : !second.compared;
  });
}

PairSearch::Found PairSearch::compare(std::uint32_t at, const IndexReader& index,
                                      Searcher& searcher) const {
  const IndexedImage& image = *image_at_[at];
  const auto is_wanted = [&](ImageId other) {
    if (other >= place_of_.size() || place_of_[other] >= at) return false;  // new since
    return Scope::meet(image.sides, image_at_[place_of_[other]]->sides);
  };
  Found found;
  const auto add = [&](const Matcher::Pairs& pairs) {
    for (const Match& match : pairs.matches) {
      found.pairs.push_back({.first = place_of_[match.image.id],
                             .second = at,
                             .mirrored = match.mirrored,
                             .has_part = match.part.has_value(),
                             .evidence = match.evidence,
                             .first_to_second = match.object_to_query});
    }
    return pairs.all_read;
  };
  // Only run() changes the entry, after this.
  found.compared = state_.images[at].compared || add(searcher.pairs(image.id, is_wanted));
  found.mirrored = state_.images[at].mirrored;
  if (!mirror_ || found.mirrored) return found;
  const StoredImage stored = index.image(image.id).value();
  for (const std::string& path : stored.paths) {
    const auto loaded = searcher.load(path);
    const auto* photo = std::get_if<Query>(&loaded);
    if (photo == nullptr || photo->image.record.content != image.content) continue;
    found.mirrored = add(searcher.mirrored_pairs(*photo, is_wanted));
    break;
  }
  return found;
}

bool PairSearch::run(const IndexReader& index, Searcher& searcher,
                     const std::function<bool(std::size_t done)>& after_each) {
  OrderedParallel<Found> results(work_.size(), core_count(), 4 * core_count(),
                                 [&](std::size_t i) { return compare(work_[i], index, searcher); });
  for (std::size_t i = 0; i < work_.size(); ++i) {
    Found found = *results.next();
    std::ranges::move(found.pairs, std::back_inserter(state_.pairs));
    ComparedImage& image = state_.images[work_[i]];
    image.compared = found.compared;
    image.mirrored = found.mirrored;
    if (!found.compared || (mirror_ && !found.mirrored)) ++incomplete_;
    if (!after_each(i + 1) && i + 1 < work_.size()) return false;
  }
  return true;
}

}  // namespace lookalike
