#include "tools/lookalike/feature_table.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "pipeline/error.h"

namespace lookalike {

std::string feature_table(const FeatureSet& features) {
  std::string text = "x,y,size,angle,response,octave,class_id";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < features.descriptor_size; ++i) fmt::format_to(out, ",d{}", i);
  text += '\n';
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

void write_feature_table(const std::string& file, const FeatureSet& features) {
  const std::string text = feature_table(features);
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: the table cannot be written: {}", file, std::strerror(errno)));
  }
}

}  // namespace lookalike
