#include "kernels/pose_search/scene_pyramid.h"

#include <cstdint>

#include "base/error.h"

namespace lookalike {
namespace {

// Beyond the templates' reach: tries go 2 px past the image, tiles of positions 16 columns or 4
// rows, and rounding adds a pixel.
constexpr int kMinMargin = 20;

PyramidLevel empty_level(int width, int height, int reach_px) {
  PyramidLevel level{.pixels = {}, .width = width, .height = height};
  level.margin = reach_px + kMinMargin;
  level.pitch = static_cast<int>(round_up(static_cast<std::size_t>(width + 2 * level.margin), 16));
  return level;
}

std::size_t rows(const PyramidLevel& level) {
  return static_cast<std::size_t>(level.height + 2 * level.margin);
}

std::size_t bytes(const PyramidLevel& level) {
  return rows(level) * static_cast<std::size_t>(level.pitch) * sizeof(float);
}

}  // namespace

ScenePyramid::ScenePyramid(OpenClSession& session)
    : session_(session),
      first_level_(session.kernel({"pose_search/pyramid.cl"}, "first_level")),
      halve_(session.kernel({"pose_search/pyramid.cl"}, "halve")) {}

void ScenePyramid::load(const ImageView& image, int levels, int reach_px) {
  require(!image.empty() && levels >= 1, "ScenePyramid::load: there is no image or no level");
  const cl::NDRange local(64, 1);
  levels_.clear();
  for (int index = 0; index < levels; ++index) {
    const int reach = (reach_px >> index) + 1;
    PyramidLevel next = index == 0 ? empty_level(image.width, image.height, reach)
                                   : empty_level((levels_.back().width + 1) / 2,
                                                 (levels_.back().height + 1) / 2, reach);
    next.pixels = session_.allocate(bytes(next));
    const cl::NDRange global(static_cast<std::size_t>(next.pitch), rows(next));
    if (index == 0) {
      const auto source = session_.upload<std::uint8_t>({image.pixels, image.size()});
      set_arguments(first_level_, source, next.width, next.height, next.margin, next.pitch,
                    next.pixels);
      session_.launch(first_level_, "first_level", global, local);
      session_.finish();
    } else {
      const PyramidLevel& last = levels_.back();
      set_arguments(halve_, last.pixels, last.margin, last.pitch, next.width, next.height,
                    next.margin, next.pitch, next.pixels);
      session_.launch(halve_, "halve", global, local);
    }
    levels_.push_back(std::move(next));
  }
}

std::size_t ScenePyramid::device_bytes(int width, int height, int reach_px) {
  const PyramidLevel level = empty_level(width, height, reach_px);
  return bytes(level) / 3 * 4 + static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

}  // namespace lookalike
