#include "stages/match/match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <opencv2/core.hpp>

namespace lookalike {
namespace {

constexpr std::size_t kCellsPerSide = 4;

// Returns an angle in [0, 360). Upright, 270, stays.
float mirrored_angle(float degrees) {
  const float turned = 180 - degrees;
  return turned < 0 ? turned + 360 : turned;
}

// Negates dy in a cell of a descriptor. With the gradients dx along the window's rows and dy across
// them, a cell holds
//   4 values: sums of dx, dy, |dx|, |dy|
//   8 values: sums of dx and |dx| where dy >= 0, then where dy < 0; of dy and |dy| where dx >= 0,
//             then where dx < 0
void negate_dy(std::span<float> cell) {
  if (cell.size() == 4) {
    cell[1] = -cell[1];
    return;
  }
  std::swap_ranges(cell.begin(), cell.begin() + 2, cell.begin() + 2);
  cell[4] = -cell[4];
  cell[6] = -cell[6];
}

// Swaps the rows of cells, which are stored one after another.
void mirror_descriptor(std::span<float> descriptor) {
  const std::size_t row = descriptor.size() / kCellsPerSide;
  for (std::size_t k = 0; k < kCellsPerSide / 2; ++k) {
    const auto from = descriptor.subspan(k * row, row);
    const auto to = descriptor.subspan((kCellsPerSide - 1 - k) * row, row);
    std::swap_ranges(from.begin(), from.end(), to.begin());
  }
  const std::size_t cell = row / kCellsPerSide;
  for (std::size_t i = 0; i < descriptor.size(); i += cell) negate_dy(descriptor.subspan(i, cell));
}

GrayImage mirrored_pixels(const GrayImage& image) {
  GrayImage result = image;
  const auto width = static_cast<std::ptrdiff_t>(image.width);
  for (auto row = result.pixels.begin(); row != result.pixels.end(); row += width) {
    std::reverse(row, row + width);
  }
  return result;
}

}  // namespace

std::string_view to_string(Decision decision) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "none", "related", "similar", "part", "same_object", "variant", "duplicate"};
  return kNames[static_cast<std::size_t>(decision)];
}

const std::string& path_of(const Match& match) {
  const std::vector<std::string>& paths = match.image.paths;
  const auto first = std::ranges::find_if(paths, [&](const std::string& path) {
    return std::ranges::find(match.gone, path) == match.gone.end();
  });
  return first == paths.end() ? paths.front() : *first;
}

void move_matches(std::vector<Match>& matches, const Homography& query_to_other) {
  for (Match& match : matches) {
    if (!match.has_pose()) continue;
    match.pose.object_to_query = query_to_other * match.pose.object_to_query;
    match.pose.quad = moved(match.pose.quad, query_to_other);
    if (match.pose.part) match.pose.part = moved(*match.pose.part, query_to_other);
    if (match.evidence.difference) {
      for (Quad& place : match.evidence.difference->places) place = moved(place, query_to_other);
    }
    for (Quad& place : match.evidence.other_content) place = moved(place, query_to_other);
    for (PointPair& pair : match.pose.inlier_pairs) pair.scene = query_to_other.apply(pair.scene);
  }
}

FeatureSet mirrored(FeatureSet features, double width) {
  for (Keypoint& keypoint : features.keypoints) {
    keypoint.x = static_cast<float>(width - 1 - keypoint.x);
    keypoint.angle_degrees = mirrored_angle(keypoint.angle_degrees);
  }
  const std::span<float> descriptors(features.descriptors);
  for (std::size_t i = 0; i < features.size(); ++i) {
    mirror_descriptor(descriptors.subspan(i * features.descriptor_size, features.descriptor_size));
  }
  return features;
}

Query mirrored(const Query& query) {
  const DecodedImage& image = query.image;
  Query mirror = {
      {image.record, mirrored_pixels(image.pixels), image.scale, mirrored_pixels(image.alpha)},
      mirrored(query.features, mirror_width(image)),
      query.first_look,
      query.excluded_image};
  if (query.colours) {
    mirror.colours = [colours = query.colours](double most_pixels) {
      ColourImage picture = colours(most_pixels);
      picture.brightness = mirrored_pixels(picture.brightness);
      picture.alpha = mirrored_pixels(picture.alpha);
      if (picture.empty()) return picture;
      cv::Mat rows(picture.colour_height, picture.colour_width, CV_8UC3, picture.colours.data());
      cv::flip(rows, rows, 1);
      return picture;
    };
  }
  return mirror;
}

void unmirror(std::vector<Match>& matches, double width) {
  move_matches(matches, {{-1, 0, width - 1, 0, 1, 0, 0, 0, 1}});
  for (Match& match : matches) match.pose.mirrored = true;
}

double mirror_width(const DecodedImage& image) {
  return image.pixels.empty() ? image.record.width : image.pixels.width / image.scale;
}

}  // namespace lookalike
