#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/artefacts.h"

namespace lookalike {

// A file whose content is in the index or belongs to an earlier item.
struct KnownContent {};

// An image with features in the feature cache.
struct CachedFeatures {};

// One page of a file on its way from the disk to the index. Each stage replaces the state by its
// result: SkippedFile, KnownContent, or CachedFeatures or DecodedImage, then ImageFeatures, then
// ImageWords.
struct Item {
  SourceFile file;          // as when it was opened, under the name of the page
  ContentHash content{};    // set if the file could be read
  PixelSums sums{};         // set from ImageFeatures on
  bool blank = false;       // by is_blank(), from ImageFeatures on; a blank image has no features
  std::uint32_t pages = 1;  // in the file; set in its first page only
  bool ends_file = true;    // no item of the same file follows
  std::string damage{};     // see DecodedImage
  std::variant<SkippedFile, KnownContent, CachedFeatures, DecodedImage, ImageFeatures, ImageWords>
      state{};

  template <typename State>
  bool is() const {
    return std::holds_alternative<State>(state);
  }
};

// The states of one type in a batch, contiguous as stages take them. They are moved out of their
// items, which wait for the next state.
template <typename State>
struct Gathered {
  explicit Gathered(std::vector<Item>& batch) {
    for (Item& item : batch) {
      if (!item.is<State>()) continue;
      items.push_back(&item);
      states.push_back(std::get<State>(std::move(item.state)));
    }
  }

  // Gives each item its next state; `next` has one per item, in order.
  template <typename Next>
  void replace(std::vector<Next> next) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i]->state = std::move(next[i]);
  }

  std::vector<Item*> items;
  std::vector<State> states;
};

}  // namespace lookalike
