#include "stages/match/vote/best_images.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

bool is_better(const RankedImage& a, const RankedImage& b) {
  return a.score > b.score;
}

// Keeps the best `count` images and all that tie with the last of them, unordered.
void keep_best(std::vector<RankedImage>& images, std::size_t count) {
  if (images.size() <= count) return;
  const auto last = images.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(images.begin(), last, images.end(), is_better);
  const double score = last->score;
  std::erase_if(images, [&](const RankedImage& image) { return image.score < score; });
}

// Orders images of equal score by content, as far as they concern the first `count`.
void order_ties(const ContentOf& content_of, std::size_t count, std::vector<RankedImage>& ranked) {
  for_each_run(
      ranked,
      [&](std::size_t first, std::size_t end) {
        if (end - first < 2 || first >= count) return;
        std::vector<std::pair<ContentHash, ImageId>> tied;
        for (std::size_t i = first; i < end; ++i) {
          tied.emplace_back(content_of(ranked[i].image), ranked[i].image);
        }
        std::ranges::sort(tied);
        for (std::size_t i = first; i < end; ++i) ranked[i].image = tied[i - first].second;
      },
      &RankedImage::score);
}

// Rounds a value in [0, 2^63] as std::llround() does, without a call.
std::uint64_t rounded(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  return whole + (value - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

}  // namespace

BestImages::BestImages(std::size_t count, std::size_t room)
    : count_(count), most_(std::max(2 * count, room)) {}

void BestImages::shrink() {
  if (count_ == 0) return images_.clear();
  keep_best(images_, count_);
  if (images_.size() >= count_) lowest_ = std::ranges::max_element(images_, is_better)->score;
  most_ = std::max(most_, 2 * images_.size());
}

std::vector<RankedImage> BestImages::unordered() const {
  if (count_ == 0) return {};
  std::vector<RankedImage> images = images_;
  keep_best(images, count_);
  return images;
}

std::vector<RankedImage> BestImages::ranked(const ContentOf& content_of) const {
  std::vector<RankedImage> images = unordered();
  std::ranges::sort(images, is_better);
  order_ties(content_of, count_, images);
  images.resize(std::min(images.size(), count_));
  return images;
}

std::uint64_t vote_score(double idf, std::size_t count, std::uint64_t weight) {
  const auto sum = static_cast<double>(weight);
  return rounded(idf * idf * (count == 1 ? sum : sum / std::sqrt(static_cast<double>(count))));
}

}  // namespace lookalike
