#include "stages/match/locate/search_object.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/image.h"
#include "stages/match/locate/weighted_image.h"

namespace lookalike {
namespace {

constexpr double kMinPoints = 64;       // of the object on the coarsest level
constexpr double kMinSidePx = 4;        // of it there
constexpr double kMinContrast = 0.35;   // of its contrast at full size that must be left there
constexpr int kMinRimmedPx = 24;        // sides from which an object can spare its rim
constexpr std::size_t kMaxTaps = 4096;  // of templates that are tried

// Less a pixel at the rim of the mask, and of an object that can spare it: there a scene shows a
// blend with the background.
bool counts(const ImageView& object, const ImageView& mask, int x, int y) {
  const bool at_rim = x == 0 || y == 0 || x == object.width - 1 || y == object.height - 1;
  if (at_rim && std::min(object.width, object.height) >= kMinRimmedPx) return false;
  if (mask.empty()) return true;
  for (int row = std::max(0, y - 1); row <= std::min(mask.height - 1, y + 1); ++row) {
    for (int column = std::max(0, x - 1); column <= std::min(mask.width - 1, x + 1); ++column) {
      if (mask.at(column, row) == 0) return false;
    }
  }
  return true;
}

WeightedImage first_level(const ImageView& object, const ImageView& mask) {
  WeightedImage level{.values = {}, .weights = {}, .width = object.width, .height = object.height};
  for (int y = 0; y < object.height; ++y) {
    for (int x = 0; x < object.width; ++x) {
      level.values.push_back(static_cast<float>(object.at(x, y)) - 128.0F);
      level.weights.push_back(counts(object, mask, x, y) ? 1.0F : 0.0F);
    }
  }
  return level;
}

float sample(const PoseObject& object, double x, double y) {
  const auto pixel = [&](int column, int row) {
    return double{
        object.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(object.width) +
                      static_cast<std::size_t>(column)]};
  };
  return static_cast<float>(bilinear(pixel, object.width, object.height, x, y));
}

double correlation_when_moved(const PoseObject& object, const Point& shift, const TurnScale& pose) {
  const double cosine = pose.scale * std::cos(pose.turn);
  const double sine = pose.scale * std::sin(pose.turn);
  double a_sum = 0, b_sum = 0, aa = 0, bb = 0, ab = 0;
  for (const Point& point : object.points) {
    const double a = sample(object, object.centre.x + point.x, object.centre.y + point.y);
    const double b = sample(object, object.centre.x + cosine * point.x - sine * point.y + shift.x,
                            object.centre.y + sine * point.x + cosine * point.y + shift.y);
    a_sum += a;
    b_sum += b;
    aa += a * a;
    bb += b * b;
    ab += a * b;
  }
  const auto n = static_cast<double>(object.points.size());
  const double spread = (aa - a_sum * a_sum / n) * (bb - b_sum * b_sum / n);
  return spread > 0 ? (ab - a_sum * b_sum / n) / std::sqrt(spread) : 0;
}

}  // namespace

SearchObject::SearchObject(const ImageView& object, const ImageView& mask) {
  require(mask.empty() || (mask.width == object.width && mask.height == object.height),
          "SearchObject: the mask differs in size from the object");
  WeightedImage level = first_level(object, mask);
  const Point centre = {(object.width - 1) / 2.0, (object.height - 1) / 2.0};
  for (int index = 0; !level.values.empty(); ++index) {
    PoseObject next;
    next.width = level.width;
    next.height = level.height;
    next.centre = {centre.x / (1 << index), centre.y / (1 << index)};
    next.pixels = level.values;
    add_level(level.weights, std::move(next));
    const bool small = static_cast<double>(levels_.back().points.size()) < kMinPoints;
    if (small || std::min(level.width, level.height) < 2 * kMinSidePx) break;
    level = halved(level);
  }
  if (levels_.front().points.empty()) {
    problem_ = "the mask leaves nothing of the object";
  } else if (contrast_.front() == 0) {
    problem_ = fmt::format("the object is flat: all of its {} pixels{} are alike",
                           levels_.front().points.size(), mask.empty() ? "" : " under the mask");
  }
}

void SearchObject::add_level(const std::vector<float>& shares, PoseObject level) {
  double sum = 0;
  double square = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool inside = shares[i] >= kMinWeight;
    level.mask.push_back(inside ? 255 : 0);
    if (!inside) continue;
    const auto width = static_cast<std::size_t>(level.width);
    const std::size_t row = i / width;
    const Point point = {static_cast<double>(i - row * width) - level.centre.x,
                         static_cast<double>(row) - level.centre.y};
    level.points.push_back(point);
    if (levels_.empty()) rim_px_ = std::max(rim_px_, std::hypot(point.x, point.y));
    sum += level.pixels[i];
  }
  const auto count = std::max(1.0, static_cast<double>(level.points.size()));
  const auto mean = static_cast<float>(sum / count);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    level.pixels[i] = shares[i] > 0 ? level.pixels[i] - mean : 0.0F;
    if (level.mask[i] != 0) square += double{level.pixels[i]} * level.pixels[i];
  }
  contrast_.push_back(std::sqrt(square / count));
  levels_.push_back(std::move(level));
}

int SearchObject::coarsest(double min_scale) const {
  const double scale = std::min(1.0, min_scale);
  int index = 0;
  while (static_cast<std::size_t>(index) + 1 < levels_.size()) {
    const auto next = static_cast<std::size_t>(index) + 1;
    const PoseObject& level = levels_[next];
    const bool large = static_cast<double>(level.points.size()) * scale * scale >= kMinPoints &&
                       std::min(level.width, level.height) * scale >= kMinSidePx;
    if (!large || contrast_[next] < kMinContrast * contrast_.front()) break;
    ++index;
  }
  return index;
}

int SearchObject::finest_tried(int coarsest) const {
  int index = 0;
  while (index < coarsest && level(index).points.size() > kMaxTaps) ++index;
  return index;
}

double grid_loss(const PoseObject& object, const PoseGrid& grid, int level) {
  double worst = 1;
  for (int corner = 0; corner < 16; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 0.5 : -0.5; };
    worst =
        std::min(worst, correlation_when_moved(object, {sign(0), sign(1)},
                                               {sign(2) * grid.turn_step(level),
                                                std::exp(sign(3) * grid.log_scale_step(level))}));
  }
  return 1 - worst;
}

}  // namespace lookalike
