#include "tools/report/picture.h"

#include <utility>

#include <fmt/format.h>

#include "stages/decode/encode.h"
#include "stages/decode/reduced.h"
#include "tools/report/page.h"

namespace lookalike {

std::variant<ReducedPhoto, SkippedFile> reduced_photo(const LoadedFile& photo, int longest_side_px,
                                                      const ImagesOptions& limits,
                                                      int jpeg_quality) {
  auto decoded = decode_reduced(photo, longest_side_px, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  const auto& [width, height, pixels] = std::get<ReducedPixels>(decoded);
  return ReducedPhoto{width, height, encode_image(".jpg", pixels, jpeg_quality)};
}

std::variant<Picture, SkippedFile> load_picture(const std::string& path, int longest_side_px,
                                                const ImagesOptions& limits, int jpeg_quality) {
  auto file = load_file(path, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&file)) return std::move(*skipped);
  auto photo = reduced_photo(std::get<LoadedFile>(file), longest_side_px, limits, jpeg_quality);
  if (auto* skipped = std::get_if<SkippedFile>(&photo)) return std::move(*skipped);
  const auto& [width, height, jpeg] = std::get<ReducedPhoto>(photo);
  return Picture{width, height, "data:image/jpeg;base64," + base64(jpeg)};
}

std::string embedded(const std::string& id, const Picture& picture) {
  return fmt::format("<image id=\"{}\" width=\"{}\" height=\"{}\" href=\"{}\"/>", id, picture.width,
                     picture.height, picture.data_uri);
}

std::string polygon(const Quad& quad, const std::string& colour) {
  std::string points;
  for (const Point& corner : quad) points += fmt::format("{:.1f},{:.1f} ", corner.x, corner.y);
  return fmt::format(
      "<polygon class=\"halo\" points=\"{0}\"/>"
      "<polygon class=\"outline\" points=\"{0}\" stroke=\"{1}\"/>",
      points, colour);
}

}  // namespace lookalike
