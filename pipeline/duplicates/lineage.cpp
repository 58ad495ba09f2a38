#include "pipeline/duplicates/lineage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <opencv2/imgproc.hpp>

namespace lookalike {
namespace {

constexpr int kBlock = 8;
constexpr int kTile = 128;                    // px, a multiple of kBlock
constexpr int kTilesPerSide = 4;              // at most
constexpr double kRounding = 0.5;             // of 8-bit pixels, in a frequency
constexpr double kRoundingSquares = 1.0 / 6;  // its mean square, of two pictures
// Re-saved photos left the interval of half a step in at most 0.5 % of the frequencies in which
// they have any content, others in at least 5.2 % (85 against 90).
constexpr double kMostOutside = 0.025;
// Files of quality 92 and more left it in at least 18 %. A share between the two may come from an
// edit of some blocks.
constexpr double kSurelyOutside = 0.15;
// Steps that are finer by less leave it open which file was saved from which.
constexpr double kClearlyFiner = 0.75;
constexpr double kLeastCoefficients = 64;
// Files left the interval of half a step of both in at most 0.4 % if one was saved from the other
// or both from one picture, and in at least 1.5 % if the other had been blurred or saved in
// between.
constexpr double kMostOutsideSource = 0.008;
// The mean square of the departures, in steps: 1/12 if they are the file's own rounding, at least
// 0.069 of files saved from a clearly finer one, at most 0.063 where the finer one was made from
// it.
constexpr double kLeastSpread = 0.066;
constexpr double kLeastStep = 4;  // finer ones round as little as the pixels do
// The energy outside the intervals, in shares of the energy that the smaller picture adds to itself
// reduced by the same factor: at most 0.0045 for enlarged photos, at least 0.0287 for others.
constexpr double kMostAdded = 0.012;
constexpr double kLeastDetail = 2;  // grey levels squared; softer pictures show nothing

using Kernel = double (*)(double);

double bilinear(double x) {
  return std::max(0.0, 1 - std::abs(x));
}
double bicubic(double x) {
  constexpr double kA = -0.75;  // OpenCV's; -0.5 lies between it and bilinear interpolation
  x = std::abs(x);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
}
double lanczos(double x) {
  constexpr double kLobes = 3;
  if (std::abs(x) < 1e-9) return 1;
  if (std::abs(x) >= kLobes) return 0;
  const double angle = CV_PI * x;
  return kLobes * std::sin(angle) * std::sin(angle / kLobes) / (angle * angle);
}

// The weights of the samples that a resized sample is interpolated from.
struct Taps {
  static constexpr int kReach = 3;
  int first = 0;  // sample of the first weight
  std::array<float, 2 * kReach + 2> weights{};
};

// Returns the taps of `length` samples of a resized axis from `begin`.
std::vector<Taps> taps_of(int size, int resized, int begin, int length, Kernel kernel) {
  const double step = double{1} * size / resized;
  std::vector<Taps> all(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) {
    Taps& taps = all[static_cast<std::size_t>(i)];
    const double centre = (begin + i + 0.5) * step - 0.5;
    taps.first = static_cast<int>(std::floor(centre)) - Taps::kReach;
    double sum = 0;
    std::array<double, 2 * Taps::kReach + 2> values{};
    for (std::size_t k = 0; k < values.size(); ++k) {
      sum += values[k] = kernel(centre - taps.first - static_cast<double>(k));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      taps.weights[k] = static_cast<float>(values[k] / sum);
    }
  }
  return all;
}

// Returns the part `tile` of a picture resized to `size`, CV_32F.
cv::Mat resized_tile(const cv::Mat& picture, cv::Size size, const cv::Rect& tile, Kernel kernel) {
  const auto across = taps_of(picture.cols, size.width, tile.x, tile.width, kernel);
  const auto down = taps_of(picture.rows, size.height, tile.y, tile.height, kernel);
  const auto taps = static_cast<int>(Taps().weights.size());
  const int top = down.front().first;
  cv::Mat rows(down.back().first + taps - top, tile.width, CV_32F);
  for (int y = 0; y < rows.rows; ++y) {
    const auto* from = picture.ptr<std::uint8_t>(std::clamp(top + y, 0, picture.rows - 1));
    auto* to = rows.ptr<float>(y);
    for (int x = 0; x < tile.width; ++x) {
      const Taps& one = across[static_cast<std::size_t>(x)];
      to[x] = 0;
      for (int k = 0; k < taps; ++k) {
        const int at = std::clamp(one.first + k, 0, picture.cols - 1);
        to[x] += one.weights[static_cast<std::size_t>(k)] * static_cast<float>(from[at]);
      }
    }
  }
  cv::Mat resized = cv::Mat::zeros(tile.size(), CV_32F);
  for (int y = 0; y < tile.height; ++y) {
    const Taps& one = down[static_cast<std::size_t>(y)];
    auto* to = resized.ptr<float>(y);
    for (int k = 0; k < taps; ++k) {
      const auto* from = rows.ptr<float>(one.first + k - top);
      const float weight = one.weights[static_cast<std::size_t>(k)];
      for (int x = 0; x < tile.width; ++x) to[x] += weight * from[x];
    }
  }
  return resized;
}

// Returns the sum of the pictures, and a constant, that is closest to a target.
cv::Mat best_mixture(const std::vector<cv::Mat>& pictures, const cv::Mat& target) {
  const int count = static_cast<int>(pictures.size());
  std::vector<cv::Mat> all = pictures;
  all.push_back(cv::Mat::ones(target.size(), CV_32F));
  cv::Mat products(count + 1, count + 1, CV_64F);
  cv::Mat with_target(count + 1, 1, CV_64F);
  for (int i = 0; i <= count; ++i) {
    for (int j = 0; j <= count; ++j) products.at<double>(i, j) = all[i].dot(all[j]);
    with_target.at<double>(i) = all[i].dot(target);
    products.at<double>(i, i) += 1e-3;
  }
  cv::Mat shares;
  cv::solve(products, with_target, shares, cv::DECOMP_SVD);
  cv::Mat mixture = cv::Mat::zeros(target.size(), CV_32F);
  for (int i = 0; i <= count; ++i) mixture += shares.at<double>(i) * all[i];
  return mixture;
}

// Returns tiles spread over a picture, at multiples of the block.
std::vector<cv::Rect> tiles_of(cv::Size size) {
  const auto starts = [](int length) {
    const int whole = length / kBlock * kBlock;
    const int tile = std::min(kTile, whole);
    const int count = std::clamp(whole / std::max(tile, 1), 1, kTilesPerSide);
    std::vector<int> places;
    for (int i = 0; i < count; ++i) {
      const int place = count == 1 ? (whole - tile) / 2 : (whole - tile) * i / (count - 1);
      places.push_back(place / kBlock * kBlock);
    }
    return places;
  };
  const cv::Size tile(std::min(kTile, size.width / kBlock * kBlock),
                      std::min(kTile, size.height / kBlock * kBlock));
  std::vector<cv::Rect> tiles;
  if (tile.empty()) return tiles;
  for (const int y : starts(size.height)) {
    for (const int x : starts(size.width)) tiles.emplace_back(cv::Point(x, y), tile);
  }
  return tiles;
}

// What a file's frequencies say against its having been saved from given pixels.
struct Departure {
  double outside = 0;       // frequencies beyond half a step
  double with_content = 0;  // frequencies of the file that are not zero
  double energy = 0;        // beyond half a step
  double frequencies = 0;
  double squares = 0;  // of the departures of those with content and a step of kLeastStep, in steps
  double with_steps = 0;  // their number

  // Adds the blocks of two pictures, CV_32F, except those that is_left_out(block) accepts.
  //   explained  half a step more in each frequency, if any
  template <typename IsLeftOut>
  void add(const cv::Mat& saved, const cv::Mat& from, const FileDescription& file,
           const IsLeftOut& is_left_out,
           const std::optional<std::array<std::uint16_t, 64>>& explained = {}) {
    cv::Mat ours;
    cv::Mat theirs;
    for (int y = 0; y < saved.rows; y += kBlock) {
      for (int x = 0; x < saved.cols; x += kBlock) {
        const cv::Rect block(x, y, kBlock, kBlock);
        if (is_left_out(block)) continue;
        cv::dct(saved(block), ours);
        cv::dct(from(block), theirs);
        for (int i = 1; i < kBlock * kBlock; ++i) {
          const double step = file.steps ? (*file.steps)[i] : 1;
          const double half = step / 2;
          const double own = ours.at<float>(i / kBlock, i % kBlock);
          const double departure = std::abs(own - theirs.at<float>(i / kBlock, i % kBlock));
          const double beyond = departure - half - (explained ? (*explained)[i] / 2.0 : 0);
          const bool has_content = std::abs(own) >= half;
          outside += beyond > 2 * kRounding ? 1 : 0;
          with_content += has_content ? 1 : 0;
          if (has_content && step >= kLeastStep) {
            squares += (departure * departure - kRoundingSquares) / (step * step);
            with_steps += 1;
          }
          energy += beyond > kRounding ? (beyond - kRounding) * (beyond - kRounding) : 0;
          frequencies += 1;
        }
      }
    }
  }
};

// Returns the energy, per pixel, that a picture adds to itself reduced by a factor.
double own_detail(const cv::Mat& picture, double factor) {
  cv::Mat reduced;
  cv::Mat back;
  cv::resize(picture, reduced, {}, 1 / factor, 1 / factor, cv::INTER_AREA);
  cv::resize(reduced, back, picture.size(), 0, 0, cv::INTER_CUBIC);
  const double norm = cv::norm(picture, back, cv::NORM_L2);
  return norm * norm / static_cast<double>(picture.total());
}

// True if a channel of a block reaches the end of its range, where decoders cut values off.
bool is_clipped(const cv::Mat& colours, const cv::Rect& block) {
  constexpr int kMargin = 3;  // for the rounding between colour spaces
  double least = 0;
  double most = 0;
  cv::minMaxLoc(colours(block).clone().reshape(1), &least, &most);
  return least < kMargin || most > 255 - kMargin;
}

// Returns how a JPEG departs from a picture of its size.
Departure departure_from(const Source& source, const cv::Mat& picture, const FileDescription& file,
                         const std::optional<std::array<std::uint16_t, 64>>& explained) {
  Departure departure;
  for (const cv::Rect& tile : tiles_of(picture.size())) {
    cv::Mat ours;
    cv::Mat theirs;
    picture(tile).convertTo(ours, CV_32F);
    source.gray(tile).convertTo(theirs, CV_32F);
    const auto is_left_out = [&](const cv::Rect& block) {
      return is_clipped(source.colours, block + tile.tl());
    };
    departure.add(ours, theirs, file, is_left_out, explained);
  }
  return departure;
}

Lineage lineage_of_equal_size(const cv::Mat& picture, const FileDescription& file,
                              const Source& source) {
  if (!file.steps || !source.file.steps) return Lineage::kOther;
  const Departure departure = departure_from(source, picture, file, std::nullopt);
  if (departure.with_content < kLeastCoefficients) return Lineage::kUnclear;
  if (departure.outside > kSurelyOutside * departure.with_content) return Lineage::kOther;
  if (departure.outside > kMostOutside * departure.with_content) return Lineage::kUnclear;
  const bool is_clear = file.mean_step() <= kClearlyFiner * source.file.mean_step();
  return is_clear ? Lineage::kMade : Lineage::kUnclear;
}

}  // namespace

Lineage lineage(const cv::Mat& picture, const FileDescription& file, const Source& source) {
  const cv::Mat& from = source.gray;
  if (picture.size() == from.size()) return lineage_of_equal_size(picture, file, source);
  const double factor = std::sqrt(double{1} * picture.cols / from.cols * picture.rows / from.rows);
  if (factor <= 1 || std::min(from.cols, from.rows) < 2 * kBlock * factor) return Lineage::kOther;
  Departure departure;
  for (const cv::Rect& tile : tiles_of(picture.size())) {
    cv::Mat ours;
    picture(tile).convertTo(ours, CV_32F);
    std::vector<cv::Mat> enlarged;
    for (const Kernel kernel : {bilinear, bicubic, lanczos}) {
      enlarged.push_back(resized_tile(from, picture.size(), tile, kernel));
    }
    departure.add(ours, best_mixture(enlarged, ours), file, [](const cv::Rect&) { return false; });
  }
  const double detail = own_detail(from, factor);
  const double added = departure.energy / std::max(departure.frequencies, 1.0);
  if (added > kMostAdded * std::max(detail, kLeastDetail)) return Lineage::kOther;
  return detail >= kLeastDetail ? Lineage::kMade : Lineage::kUnclear;
}

bool can_be_saved_from(const Source& picture, const cv::Mat& jpeg, const FileDescription& file) {
  const Departure departure = departure_from(picture, jpeg, file, picture.file.steps);
  if (departure.with_content < kLeastCoefficients) return false;
  if (departure.outside > kMostOutsideSource * departure.with_content) return false;
  const bool is_finer = picture.file.mean_step() <= kClearlyFiner * file.mean_step();
  if (!is_finer || departure.with_steps < kLeastCoefficients) return true;
  return departure.squares >= kLeastSpread * departure.with_steps;
}

bool has_pixels_of(const cv::Mat& one, const cv::Mat& other) {
  return one.size() == other.size() && cv::norm(one, other, cv::NORM_INF) <= kDecodersDiffer;
}

CropSides crop_sides(const cv::Mat& larger, const Quad& place) {
  constexpr double kReach = 0.006;  // error of a crop's place, in shares of the longer side
  constexpr double kEdge = 3;       // the change across an edge, in changes beside it
  constexpr double kLeastEdge = 3;  // grey levels
  constexpr int kSamples = 400;
  const double reach = std::max(4.0, std::round(kReach * std::max(larger.cols, larger.rows)));
  const auto value = [&](Point at) {
    // Sides often lie between two pixels, where an error of the last bit decides.
    constexpr double kOffGrid = 0.25;
    const int x = std::clamp(cvFloor(at.x + kOffGrid), 0, larger.cols - 1);
    const int y = std::clamp(cvFloor(at.y + kOffGrid), 0, larger.rows - 1);
    return int{larger.at<std::uint8_t>(y, x)};
  };
  CropSides sides;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point a = place[i];
    const Point b = place[(i + 1) % 4];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const Point normal{(b.y - a.y) / length, (a.x - b.x) / length};
    const auto is_inside = [&](double offset) {
      const Point at{(a.x + b.x) / 2 + offset * normal.x, (a.y + b.y) / 2 + offset * normal.y};
      return at.x >= 0 && at.y >= 0 && at.x <= larger.cols - 1 && at.y <= larger.rows - 1;
    };
    if (!(length > 4 * reach) || !is_inside(1.5 * reach) || !is_inside(-1.5 * reach)) continue;
    ++sides.inside;
    double across = 0;
    std::vector<double> beside;
    for (int step = 0; step < 8 * reach; ++step) {
      const double offset = step - 4 * reach;
      if (!is_inside(offset) || !is_inside(offset + 1)) continue;
      double change = 0;
      for (int k = 0; k < kSamples; ++k) {
        const double t = 0.04 + 0.92 * k / kSamples;
        const Point at{a.x + t * (b.x - a.x) + offset * normal.x,
                       a.y + t * (b.y - a.y) + offset * normal.y};
        change += std::abs(value(at) - value({at.x + normal.x, at.y + normal.y}));
      }
      change /= kSamples;
      if (std::abs(offset) <= reach) across = std::max(across, change);
      if (std::abs(offset) > 1.5 * reach) beside.push_back(change);
    }
    if (beside.empty()) continue;
    std::ranges::nth_element(beside,
                             beside.begin() + static_cast<std::ptrdiff_t>(beside.size() / 2));
    if (across > kEdge * beside[beside.size() / 2] + kLeastEdge) ++sides.with_edge;
  }
  return sides;
}

}  // namespace lookalike
