#include "pipeline/duplicates/cluster.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace lookalike {
namespace {

using Image = std::uint32_t;
using ImagePair = std::pair<Image, Image>;

ImagePair ordered(Image a, Image b) {
  return {std::min(a, b), std::max(a, b)};
}

bool is_stronger(const Link& a, const Link& b) {
  return std::tuple(-static_cast<int>(a.kind), -a.probability, a.a, a.b) <
         std::tuple(-static_cast<int>(b.kind), -b.probability, b.a, b.b);
}

bool is_weak(const Link& link) {
  return link.kind < PairKind::kCrop && link.probability < kStrongProbability;
}

// Union-find with the members of each set.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size), members_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (Image i = 0; i < size; ++i) members_[i] = {i};
  }
  Image root(Image i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  const std::vector<Image>& members(Image i) { return members_[root(i)]; }
  void join(Image a, Image b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    if (members_[a].size() < members_[b].size()) std::swap(a, b);
    parent_[b] = a;
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    members_[b] = {};
  }

 private:
  std::vector<Image> parent_;
  std::vector<std::vector<Image>> members_;
};

// Numbers the images of links from 0.
class Numbers {
 public:
  explicit Numbers(std::span<const Link> links) {
    for (const Link& link : links) {
      images_.push_back(link.a);
      images_.push_back(link.b);
    }
    std::ranges::sort(images_);
    images_.erase(std::unique(images_.begin(), images_.end()), images_.end());
  }
  std::size_t size() const { return images_.size(); }
  Image operator[](Image image) const {
    return static_cast<Image>(std::ranges::lower_bound(images_, image) - images_.begin());
  }

 private:
  std::vector<Image> images_;
};

// The links of one component.
class Component {
 public:
  explicit Component(std::span<const Link> links)
      : links_(links), number_(links), at_(number_.size()) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      at_[number_[links[i].a]].push_back(i);
      at_[number_[links[i].b]].push_back(i);
    }
  }

  // Returns the number of the weakest weak bridge, if any.
  // Method: Tarjan, "A note on finding the bridges of a graph", IPL 1974, without recursion.
  std::optional<std::size_t> weakest_bridge() const {
    struct Visit {
      std::size_t image;
      std::size_t from;  // link
      std::size_t next;  // link to follow
    };
    const std::size_t none = links_.size();
    std::vector<std::size_t> seen(at_.size(), 0);  // order of discovery, from 1
    std::vector<std::size_t> low(at_.size(), 0);
    std::vector<std::size_t> below(at_.size(), 1);  // images in the subtree
    std::optional<std::size_t> weakest;
    std::size_t order = 0;
    std::vector<Visit> stack = {{0, none, 0}};
    seen[0] = low[0] = ++order;
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next < at_[visit.image].size()) {
        const std::size_t link = at_[visit.image][visit.next++];
        if (link == visit.from) continue;
        const std::size_t other = other_end(link, visit.image);
        if (seen[other] != 0) {
          low[visit.image] = std::min(low[visit.image], seen[other]);
        } else {
          seen[other] = low[other] = ++order;
          stack.push_back({other, link, 0});
        }
        continue;
      }
      const Visit done = visit;
      stack.pop_back();
      if (stack.empty()) break;
      const std::size_t parent = stack.back().image;
      low[parent] = std::min(low[parent], low[done.image]);
      below[parent] += below[done.image];
      const bool parts = below[done.image] >= 2 && at_.size() - below[done.image] >= 2;
      if (low[done.image] <= seen[parent] || !parts || !is_weak(links_[done.from])) continue;
      if (!weakest || is_stronger(links_[*weakest], links_[done.from])) weakest = done.from;
    }
    return weakest;
  }

 private:
  std::size_t other_end(std::size_t link, std::size_t image) const {
    const std::size_t a = number_[links_[link].a];
    return a == image ? number_[links_[link].b] : a;
  }

  std::span<const Link> links_;
  Numbers number_;
  std::vector<std::vector<std::size_t>> at_;  // links by image
};

// Splits links into connected components, ordered by their first link.
std::vector<std::vector<Link>> components(std::span<const Link> links) {
  const Numbers number(links);
  Sets sets(number.size());
  for (const Link& link : links) sets.join(number[link.a], number[link.b]);
  std::vector<std::size_t> place(number.size(), links.size());
  std::vector<std::vector<Link>> result;
  for (const Link& link : links) {
    std::size_t& at = place[sets.root(number[link.a])];
    if (at == links.size()) {
      at = result.size();
      result.emplace_back();
    }
    result[at].push_back(link);
  }
  return result;
}

// Returns the strongest link of each pair that is not rejected.
std::vector<Link> strongest_links(std::span<const Link> links, const std::set<ImagePair>& apart) {
  std::vector<Link> result;
  for (const Link& link : links) {
    if (link.a == link.b || apart.contains(ordered(link.a, link.b))) continue;
    const auto [a, b] = ordered(link.a, link.b);
    result.push_back({a, b, link.kind, link.probability});
  }
  std::ranges::sort(result, is_stronger);
  std::set<ImagePair> seen;
  std::erase_if(result, [&](const Link& link) { return !seen.insert({link.a, link.b}).second; });
  return result;
}

std::vector<Link> without_weak_bridges(std::span<const Link> links) {
  std::vector<Link> kept;
  std::vector<std::vector<Link>> left = components(links);
  while (!left.empty()) {
    std::vector<Link> component = std::move(left.back());
    left.pop_back();
    const auto bridge = Component(component).weakest_bridge();
    if (!bridge) {
      kept.insert(kept.end(), component.begin(), component.end());
      continue;
    }
    component.erase(component.begin() + static_cast<std::ptrdiff_t>(*bridge));
    for (std::vector<Link>& part : components(component)) left.push_back(std::move(part));
  }
  std::ranges::sort(kept, is_stronger);
  return kept;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> clusters(std::size_t images, std::span<const Link> links,
                                                 std::span<const ImagePair> rejected) {
  std::set<ImagePair> apart;
  std::vector<bool> is_rejected(images, false);
  for (const auto& [a, b] : rejected) {
    apart.insert(ordered(a, b));
    is_rejected[a] = is_rejected[b] = true;
  }
  std::optional<Sets> joined;
  const auto must_stay_apart = [&](Image a, Image b) {
    if (apart.empty()) return false;
    return std::ranges::any_of(joined->members(a), [&](Image left) {
      return is_rejected[left] && std::ranges::any_of(joined->members(b), [&](Image right) {
               return is_rejected[right] && apart.contains(ordered(left, right));
             });
    });
  };
  std::vector<Link> left = strongest_links(links, apart);
  do {
    left = without_weak_bridges(left);
    joined.emplace(images);
    for (const Link& link : left) {
      if (!must_stay_apart(link.a, link.b)) joined->join(link.a, link.b);
    }
    // Without the links that did not join, others may have become weak bridges.
  } while (std::erase_if(left, [&](const Link& link) {
             return joined->root(link.a) != joined->root(link.b);
           }) > 0);
  std::vector<std::vector<Image>> groups;
  for (Image i = 0; i < images; ++i) {
    if (joined->root(i) != i || joined->members(i).size() < 2) continue;
    std::vector<Image>& members = groups.emplace_back(joined->members(i));
    std::ranges::sort(members);
  }
  std::ranges::sort(groups);
  return groups;
}

std::vector<std::size_t> joints(std::span<const Link> links) {
  const Numbers number(links);
  std::vector<std::size_t> order(links.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) { return is_stronger(links[a], links[b]); });
  Sets sets(number.size());
  std::vector<std::vector<std::pair<Image, std::size_t>>> tree(number.size());  // other end, link
  for (const std::size_t link : order) {
    const Image a = number[links[link].a];
    const Image b = number[links[link].b];
    if (sets.root(a) == sets.root(b)) continue;
    sets.join(a, b);
    tree[a].emplace_back(b, link);
    tree[b].emplace_back(a, link);
  }
  struct Visit {
    Image image;
    std::size_t before;  // place of the visit from which it was reached
    std::size_t link;
    std::size_t below;  // images of its subtree
  };
  std::vector<Visit> visits;
  if (!tree.empty()) visits.push_back({0, 0, links.size(), 1});
  for (std::size_t at = 0; at < visits.size(); ++at) {
    for (const auto& [other, link] : tree[visits[at].image]) {
      if (link != visits[at].link) visits.push_back({other, at, link, 1});
    }
  }
  std::vector<std::size_t> found;
  for (std::size_t at = visits.size(); at-- > 1;) {
    const Visit& visit = visits[at];
    visits[visit.before].below += visit.below;
    const bool joins_parts = visit.below >= 2 && visits.size() - visit.below >= 2;
    if (joins_parts && links[visit.link].kind < PairKind::kCopy) found.push_back(visit.link);
  }
  std::ranges::sort(found,
                    [&](std::size_t a, std::size_t b) { return is_stronger(links[b], links[a]); });
  return found;
}

}  // namespace lookalike
