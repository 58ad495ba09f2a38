#include "tools/lookalike/feature_table.h"

#include <cstddef>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace lookalike {
namespace {

std::string header_row(std::size_t descriptor_size) {
  std::string text = "x,y,size,angle,response,octave,class_id";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < descriptor_size; ++i) fmt::format_to(out, ",d{}", i);
  return text + '\n';
}

}  // namespace

std::string feature_table(const FeatureSet& features) {
  std::string text = header_row(features.descriptor_size);
  auto out = std::back_inserter(text);
  const MatrixView<const float> descriptors = features.descriptor_matrix();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Keypoint& point = features.keypoints[i];
    fmt::format_to(out, "{},{},{},{},{},{},{}", point.x, point.y, point.size, point.angle_degrees,
                   point.response, point.octave, point.laplacian_sign);
    for (const float value : descriptors.row(i)) fmt::format_to(out, ",{}", value);
    text += '\n';
  }
  return text;
}

OutputKind feature_table_kind() {
  return {"a table of features", [](std::string_view start) {
            return start.starts_with(header_row(64)) || start.starts_with(header_row(128));
          }};
}

}  // namespace lookalike
