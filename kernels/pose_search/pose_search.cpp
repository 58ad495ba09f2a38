#include "kernels/pose_search/pose_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>

#include "base/error.h"
#include "kernels/session/build_options.h"

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

namespace {

constexpr int kGroup = 64;  // items that reduce together, on a GPU
constexpr int kSlices = 8;  // see refine_group.cl
constexpr int kCpuColumns = 16;
constexpr int kRows = 4;
constexpr std::size_t kMapBytes = std::size_t{64} << 20;       // of best scores, at a time
constexpr std::size_t kTemplateBytes = std::size_t{64} << 20;  // of taps, at a time
constexpr cl_uint kFirstPeaks = 1U << 14;
constexpr int kFitChunks = 32;

struct Template {
  cl_int left, top, right, bottom;
};

std::string score_options(int width, int rows) {
  return define("WIDTH", width) + define("ROWS", rows) + define("SLACK", kPoseSlackPx) +
         define("FLAT_SHARE", static_cast<float>(kPoseFlatShare)) + define("FLAT", kPoseFlat) +
         define("OUTSIDE", kPoseOutside);
}

cl_float2 pair_of(double x, double y) {
  return {{static_cast<cl_float>(x), static_cast<cl_float>(y)}};
}

std::vector<cl_float2> device_points(const PoseObject& object) {
  std::vector<cl_float2> points;
  for (const Point& point : object.points) points.push_back(pair_of(point.x, point.y));
  return points;
}

cl_float2 arm_of(const TurnScale& pose) {
  return pair_of(pose.scale * std::cos(pose.turn), pose.scale * std::sin(pose.turn));
}

}  // namespace

Point centre_part(const PoseObject& object) {
  return {object.centre.x - std::floor(object.centre.x),
          object.centre.y - std::floor(object.centre.y)};
}

PoseSearch::PoseSearch(OpenClSession& session) : session_(session) {
  const bool cpu = session.is_cpu();
  const std::string items = define("ITEMS", cpu ? 1 : kGroup) +
                            define("FLAT_VARIANCE", static_cast<float>(kPoseFlatVariance)) +
                            define("RIM", static_cast<float>(kPoseRimPx));
  make_taps_ = session.kernel({"pose_search/templates.cl"}, "make_taps", items);
  finish_taps_ = session.kernel({"pose_search/templates.cl"}, "finish_taps", items);
  best_of_runs_ = session.kernel({"pose_search/scores.cl"}, "best_of_runs",
                                 score_options(cpu ? kCpuColumns : 1, kRows));
  find_peaks_ = session.kernel({"pose_search/peaks.cl"}, "find_peaks", score_options(1, 1));
  refine_ =
      session.kernel({"pose_search/scores.cl",
                      cpu ? "pose_search/refine_vector.cl" : "pose_search/refine_group.cl"},
                     "refine", score_options(cpu ? 8 : 1, cpu ? 5 : 1) + define("SLICES", kSlices));
  fit_sums_ = session.kernel({"pose_search/fit.cl"}, "fit_sums", items);
}

PoseSearch::Templates PoseSearch::make_templates(const PyramidLevel& level,
                                                 const PoseObject& object,
                                                 std::span<const TurnScale> poses) {
  require(!object.points.empty(), "PoseSearch: the object has no points");
  double furthest = 0;
  for (const Point& point : object.points) {
    furthest = std::max(furthest, std::hypot(point.x, point.y));
  }
  std::vector<cl_float2> arms;
  for (const TurnScale& pose : poses) {
    require(furthest * pose.scale + 18 <= level.margin, "PoseSearch: the object is out of reach");
    arms.push_back(arm_of(pose));
  }
  Templates made;
  made.points = static_cast<cl_int>(object.points.size());
  const std::size_t taps = object.points.size() * poses.size();
  made.templates = session_.allocate(poses.size() * sizeof(Template));
  made.offsets = session_.allocate(taps * sizeof(cl_int));
  made.values = session_.allocate(taps * sizeof(cl_float));
  const auto points = session_.upload<cl_float2>(device_points(object));
  const auto pixels = session_.upload<float>(object.pixels);
  const auto device_arms = session_.upload<cl_float2>(arms);
  const Point part = centre_part(object);
  set_arguments(make_taps_, points, made.points, pixels, object.width, object.height,
                pair_of(object.centre.x, object.centre.y), pair_of(part.x, part.y), device_arms,
                static_cast<cl_int>(poses.size()), made.offsets, made.values);
  session_.launch(make_taps_, "make_taps", {object.points.size(), poses.size()},
                  cl::NDRange(64, 1));
  set_arguments(finish_taps_, made.points, level.pitch, made.offsets, made.values, made.templates);
  const std::size_t items = session_.is_cpu() ? 1 : kGroup;
  session_.launch(finish_taps_, "finish_taps", {poses.size() * items}, cl::NDRange(items));
  session_.finish();
  return made;
}

PosePeaks PoseSearch::search(const PyramidLevel& level, const PoseObject& object,
                             std::span<const TurnScale> poses, std::size_t run, float min_score,
                             bool either, PoseMap* map) {
  require(!object.points.empty(), "PoseSearch::search: the object has no points");
  if (run == 0) throw Error(ErrorKind::kInternal, "PoseSearch::search: a run has no poses");
  const auto pitch = static_cast<int>(round_up(static_cast<std::size_t>(level.width), kCpuColumns));
  const auto rows = static_cast<int>(round_up(static_cast<std::size_t>(level.height), kRows));
  const std::size_t positions = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
  const std::size_t runs_at_once = std::max<std::size_t>(
      1, std::min(kMapBytes / (positions * 8), kTemplateBytes / (8 * object.points.size() * run)));
  const std::size_t all_runs = parts(poses.size(), run);
  const std::size_t map_floats = std::min(runs_at_once, all_runs) * positions;
  const cl::Buffer best = session_.allocate(map_floats * sizeof(cl_float));
  const cl::Buffer chosen = session_.allocate(map_floats * sizeof(cl_int));
  if (map != nullptr) {
    *map = {std::vector<float>(
                static_cast<std::size_t>(level.width) * static_cast<std::size_t>(level.height),
                kPoseOutside),
            level.width, level.height};
  }
  PosePeaks all;
  for (std::size_t first = 0; first < poses.size(); first += runs_at_once * run) {
    const auto part = poses.subspan(first, std::min(runs_at_once * run, poses.size() - first));
    const std::size_t runs = parts(part.size(), run);
    const Templates templates = make_templates(level, object, part);
    set_arguments(best_of_runs_, level.pixels, level.origin(), level.pitch, level.width,
                  level.height, templates.templates, static_cast<cl_int>(part.size()),
                  static_cast<cl_int>(run), templates.offsets, templates.values, templates.points,
                  static_cast<cl_int>(either), best, chosen, pitch, rows);
    const std::size_t columns = static_cast<std::size_t>(pitch) /
                                static_cast<std::size_t>(session_.is_cpu() ? kCpuColumns : 1);
    session_.launch(best_of_runs_, "best_of_runs",
                    {columns, static_cast<std::size_t>(rows) / kRows, runs},
                    session_.is_cpu() ? cl::NDRange(1, 1, 1) : cl::NDRange(32, 4, 1));
    PosePeaks found = read_peaks(level, best, chosen, runs, pitch, rows, min_score);
    for (PosePeak& peak : found.peaks) peak.template_index += static_cast<cl_int>(first);
    all.peaks.insert(all.peaks.end(), found.peaks.begin(), found.peaks.end());
    all.has_flat |= found.has_flat;
    all.has_contrast |= found.has_contrast;
    if (map == nullptr) continue;
    std::vector<float> scores(runs * positions);
    session_.read<float>(best, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::size_t x = i % static_cast<std::size_t>(pitch);
      const std::size_t y = i / static_cast<std::size_t>(pitch) % static_cast<std::size_t>(rows);
      if (x >= static_cast<std::size_t>(level.width)) continue;
      if (y >= static_cast<std::size_t>(level.height)) continue;
      float& top = map->scores[y * static_cast<std::size_t>(level.width) + x];
      top = std::max(top, scores[i]);
    }
  }
  std::sort(all.peaks.begin(), all.peaks.end(), [](const PosePeak& a, const PosePeak& b) {
    return std::tuple(-a.score, a.template_index, a.y, a.x) <
           std::tuple(-b.score, b.template_index, b.y, b.x);
  });
  return all;
}

PosePeaks PoseSearch::read_peaks(const PyramidLevel& level, const cl::Buffer& best,
                                 const cl::Buffer& chosen, std::size_t runs, int map_pitch,
                                 int map_rows, float min_score) {
  std::array<cl_uint, 3> counters{};
  std::vector<PosePeak> peaks;
  for (cl_uint capacity = kFirstPeaks;; capacity = counters[0]) {
    const cl::Buffer list = session_.allocate(capacity * sizeof(PosePeak));
    counters = {};
    const auto device_counters = session_.upload<cl_uint>(counters);
    set_arguments(find_peaks_, best, chosen, level.width, level.height, static_cast<cl_int>(runs),
                  map_pitch, map_rows, min_score, list, capacity, device_counters);
    session_.launch(
        find_peaks_, "find_peaks",
        {static_cast<std::size_t>(level.width), static_cast<std::size_t>(level.height), runs},
        cl::NDRange(32, 1, 1));
    session_.read<cl_uint>(device_counters, counters);
    if (counters[0] > capacity) continue;
    peaks.resize(counters[0]);
    session_.read<PosePeak>(list, peaks);
    return {std::move(peaks), counters[1] != 0, counters[2] != 0};
  }
}

void PoseSearch::refine(const PyramidLevel& level, const PoseObject& object,
                        std::span<const TurnScale> poses, bool either,
                        std::vector<PosePeak>& tries) {
  if (tries.empty()) return;
  const Templates templates = make_templates(level, object, poses);
  const auto device_tries = session_.upload<PosePeak>(tries);
  set_arguments(refine_, level.pixels, level.origin(), level.pitch, level.width, level.height,
                templates.templates, templates.offsets, templates.values, templates.points,
                static_cast<cl_int>(either), static_cast<cl_int>(tries.size()), device_tries);
  if (session_.is_cpu()) {
    session_.launch(refine_, "refine", {tries.size()}, cl::NDRange(1));
  } else {
    session_.launch(refine_, "refine", {tries.size() * 32, kSlices}, cl::NDRange(32, kSlices));
  }
  session_.read<PosePeak>(device_tries, tries);
}

FitObject PoseSearch::fit_object(const PoseObject& object) {
  require(!object.pixels.empty(), "PoseSearch::fit_object: the object has no pixels");
  return {&object, session_.upload<float>(object.pixels),
          session_.upload<std::uint8_t>(object.mask)};
}

std::vector<PoseFitSums> PoseSearch::fit_sums(const PyramidLevel& level, const FitObject& fitted,
                                              std::span<const CentrePose> poses) {
  if (poses.empty()) return {};
  require(fitted.object != nullptr, "PoseSearch::fit_sums: there is no object");
  const PoseObject& object = *fitted.object;
  std::vector<cl_float4> device_poses;
  std::vector<cl_float> greys;
  for (const CentrePose& pose : poses) {
    greys.push_back(static_cast<cl_float>(pose.grey));
    const cl_float2 arm = arm_of(pose.turn_scale);
    device_poses.push_back({{static_cast<cl_float>(pose.centre.x),
                             static_cast<cl_float>(pose.centre.y), arm.s[0], arm.s[1]}});
  }
  const int chunk_rows = parts(object.height, kFitChunks);
  const auto chunks = static_cast<std::size_t>(parts(object.height, chunk_rows));
  const auto list = session_.upload<cl_float4>(device_poses);
  const auto device_greys = session_.upload<cl_float>(greys);
  const cl::Buffer sums = session_.allocate(poses.size() * chunks * kPoseFitTerms * sizeof(float));
  set_arguments(fit_sums_, level.pixels, level.origin(), level.pitch, level.width, level.height,
                fitted.pixels, fitted.mask, object.width, object.height,
                pair_of(object.centre.x, object.centre.y), list, device_greys, chunk_rows, sums);
  const std::size_t items = session_.is_cpu() ? 1 : kGroup;
  session_.launch(fit_sums_, "fit_sums", {chunks * items, poses.size()}, cl::NDRange(items, 1));
  std::vector<float> partial(poses.size() * chunks * kPoseFitTerms);
  session_.read<float>(sums, partial);
  std::vector<PoseFitSums> result(poses.size());
  for (std::size_t i = 0; i < partial.size(); ++i) {
    result[i / (chunks * kPoseFitTerms)][i % kPoseFitTerms] += double{partial[i]};
  }
  return result;
}

}  // namespace lookalike
