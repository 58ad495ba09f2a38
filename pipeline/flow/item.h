#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/artefacts.h"

namespace lookalike {

// A file whose content the index has, or an earlier item brings.
struct KnownContent {};

// An image whose features are in the feature cache.
struct CachedFeatures {};

// One page of a file on its way from the disk to the index. Each stage replaces the state by its
// result: SkippedFile, KnownContent, or CachedFeatures or DecodedImage, then ImageFeatures, then
// ImageWords.
struct Item {
  SourceFile file;          // as it was when it was opened; the name is the page's
  ContentHash content{};    // of a file that could be read
  PixelSums sums{};         // of an image, from ImageFeatures on
  bool blank = false;       // by is_blank(), from ImageFeatures on; a blank image has no features
  std::uint32_t pages = 1;  // of the file; read of its first page alone
  bool ends_file = true;    // no item of the same file follows
  std::variant<SkippedFile, KnownContent, CachedFeatures, DecodedImage, ImageFeatures, ImageWords>
      state{};

  template <typename State>
  bool is() const {
    return std::holds_alternative<State>(state);
  }
};

// The states of one type among the items of a batch, side by side, as stages take them. They are
// moved out of their items, which wait for their next state.
template <typename State>
struct Gathered {
  explicit Gathered(std::vector<Item>& batch) {
    for (Item& item : batch) {
      if (!item.is<State>()) continue;
      items.push_back(&item);
      states.push_back(std::get<State>(std::move(item.state)));
    }
  }

  // Gives each item its next state; one per item, in order.
  template <typename Next>
  void replace(std::vector<Next> next) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i]->state = std::move(next[i]);
  }

  std::vector<Item*> items;
  std::vector<State> states;
};

}  // namespace lookalike
