#include "kernels/pose_search/pose_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Margin beyond the templates' reach: tries go 2 px past the image, tiles of positions 16 columns
// or 4 rows, and rounding adds a pixel.
constexpr int kMinMargin = 20;

constexpr int kGroup = 64;  // items that reduce together, on a GPU
constexpr int kSlices = 8;  // of a try's taps, see refine_group.cl
constexpr int kCpuColumns = 16;
constexpr int kRows = 4;
constexpr std::size_t kMapBytes = std::size_t{64} << 20;       // of best scores at once
constexpr std::size_t kTemplateBytes = std::size_t{64} << 20;  // of taps at once
constexpr cl_uint kFirstPeaks = 1U << 14;
constexpr int kFitChunks = 32;

// As Level in common.cl.
struct LevelPlace {
  explicit LevelPlace(const PyramidLevel& level)
      : origin(level.origin()), pitch(level.pitch), width(level.width), height(level.height) {}
  cl_int origin, pitch, width, height;
};
static_assert(sizeof(LevelPlace) == 16);

// As Sizes in templates.cl.
struct TapSizes {
  cl_int points, poses, width, height;
  cl_float2 centre, centre_part;
};
static_assert(sizeof(TapSizes) == 32);

// As Search and Map in scores.cl.
struct Search {
  cl_int points, either_polarity, count, run;
};
struct ScoreMap {
  cl_int runs, rows, pitch, width, height;
};
static_assert(sizeof(Search) == 16 && sizeof(ScoreMap) == 20);

// As Object and Pose in fit.cl.
struct FitSizes {
  cl_int width, height;
  cl_float2 centre;
  cl_int chunk_rows, unused;
};
struct FitPose {
  cl_float2 centre, arm;
  cl_float grey, unused;
};
static_assert(sizeof(FitSizes) == 24 && sizeof(FitPose) == 24);

PyramidLevel empty_level(int width, int height, int reach_px) {
  PyramidLevel level{.pixels = {}, .width = width, .height = height};
  level.margin = reach_px + kMinMargin;
  level.pitch = static_cast<int>(round_up(to_size(width + 2 * level.margin), 16));
  return level;
}

std::size_t rows_of(const PyramidLevel& level) {
  return to_size(level.height + 2 * level.margin);
}

std::size_t bytes_of(const PyramidLevel& level) {
  return rows_of(level) * to_size(level.pitch) * sizeof(float);
}

std::string score_options(int width, int rows) {
  return define("WIDTH", width) + define("ROWS", rows) + define("SLACK", kPoseSlackPx) +
         define("FLAT_SHARE", static_cast<float>(kPoseFlatShare)) + define("FLAT", kPoseFlat) +
         define("OUTSIDE", kPoseOutside);
}

cl_float2 pair_of(const Point& point) {
  return {{static_cast<cl_float>(point.x), static_cast<cl_float>(point.y)}};
}

cl_float2 arm_of(const TurnScale& pose) {
  return pair_of({pose.scale * std::cos(pose.turn), pose.scale * std::sin(pose.turn)});
}

// Raises the map where the scores [runs][rows][pitch] are higher.
void raise(PoseMap& map, std::span<const float> scores, std::size_t pitch, std::size_t rows) {
  for (; !scores.empty(); scores = scores.subspan(rows * pitch)) {
    for (std::size_t y = 0; y < to_size(map.height); ++y) {
      float* const best = map.scores.data() + y * to_size(map.width);
      for (std::size_t x = 0; x < to_size(map.width); ++x) {
        best[x] = std::max(best[x], scores[y * pitch + x]);
      }
    }
  }
}

}  // namespace

Point centre_part(const PoseObject& object) {
  return {object.centre.x - std::floor(object.centre.x),
          object.centre.y - std::floor(object.centre.y)};
}

ScenePyramid::ScenePyramid(OpenClSession& session)
    : session_(session),
      first_level_(session.kernel({"pose_search/pyramid.cl"}, "first_level")),
      halve_(session.kernel({"pose_search/pyramid.cl"}, "halve")) {}

void ScenePyramid::load(const ImageView& image, int levels, int reach_px) {
  require(!image.empty() && levels >= 1, "ScenePyramid::load: there is no image or no level");
  levels_.clear();
  const auto add = [&](PyramidLevel next, cl::Kernel& kernel, const char* label,
                       const auto&... from) {
    next.pixels = session_.allocate(bytes_of(next));
    set_arguments(kernel, from..., next.width, next.height, next.margin, next.pitch, next.pixels);
    session_.launch(kernel, label, {to_size(next.pitch), rows_of(next)}, cl::NDRange(64, 1));
    levels_.push_back(std::move(next));
  };
  const auto source = session_.upload<std::uint8_t>({image.pixels, image.size()});
  add(empty_level(image.width, image.height, reach_px + 1), first_level_, "first_level", source);
  session_.finish();
  for (int index = 1; index < levels; ++index) {
    const PyramidLevel last = levels_.back();
    add(empty_level((last.width + 1) / 2, (last.height + 1) / 2, (reach_px >> index) + 1), halve_,
        "halve", last.pixels, last.margin, last.pitch);
  }
}

std::size_t ScenePyramid::device_bytes(int width, int height, int reach_px) {
  return bytes_of(empty_level(width, height, reach_px)) / 3 * 4 + to_size(width) * to_size(height);
}

struct PoseSearch::Templates {
  cl::Buffer rims;             // how far the taps reach: left, top, right, bottom
  cl::Buffer offsets, values;  // [poses][points]
};

// The best score of each run at each position, and its template: [runs][rows][pitch].
struct PoseSearch::RunScores {
  ScoreMap map;
  cl::Buffer scores, templates;

  std::size_t positions() const { return to_size(map.rows) * to_size(map.pitch); }
};

PoseSearch::PoseSearch(OpenClSession& session) : session_(session) {
  const bool cpu = session.is_cpu();
  const auto built = [&](const char* source, const char* name, const std::string& options) {
    return session.kernel({"pose_search/common.cl", source}, name, options);
  };
  const std::string items = define("ITEMS", cpu ? 1 : kGroup);
  const std::string taps = items + define("FLAT_VARIANCE", static_cast<float>(kPoseFlatVariance));
  make_taps_ = built("pose_search/templates.cl", "make_taps", taps);
  finish_taps_ = built("pose_search/templates.cl", "finish_taps", taps);
  const std::string positions = score_options(cpu ? kCpuColumns : 1, kRows);
  best_of_runs_ = built("pose_search/scores.cl", "best_of_runs", positions);
  find_peaks_ = built("pose_search/scores.cl", "find_peaks", positions);
  refine_ =
      session.kernel({"pose_search/common.cl", "pose_search/scores.cl",
                      cpu ? "pose_search/refine_vector.cl" : "pose_search/refine_group.cl"},
                     "refine", score_options(cpu ? 8 : 1, cpu ? 5 : 1) + define("SLICES", kSlices));
  fit_sums_ = built("pose_search/fit.cl", "fit_sums",
                    items + define("RIM", static_cast<float>(kPoseRimPx)));
}

PoseSearch::Templates PoseSearch::make_templates(const PyramidLevel& level,
                                                 const PoseObject& object,
                                                 std::span<const TurnScale> poses) {
  require(!object.points.empty(), "PoseSearch: the object has no points");
  double furthest = 0;
  std::vector<cl_float2> points;
  for (const Point& point : object.points) {
    furthest = std::max(furthest, std::hypot(point.x, point.y));
    points.push_back(pair_of(point));
  }
  std::vector<cl_float2> arms;
  for (const TurnScale& pose : poses) {
    require(furthest * pose.scale + 18 <= level.margin, "PoseSearch: the object is out of reach");
    arms.push_back(arm_of(pose));
  }
  const std::size_t taps = points.size() * poses.size();
  const Templates made{session_.allocate(poses.size() * sizeof(cl_int4)),
                       session_.allocate(taps * sizeof(cl_int)),
                       session_.allocate(taps * sizeof(cl_float))};
  const auto device_points = session_.upload<cl_float2>(points);
  const auto pixels = session_.upload<float>(object.pixels);
  const auto device_arms = session_.upload<cl_float2>(arms);
  const TapSizes sizes{static_cast<cl_int>(points.size()),
                       static_cast<cl_int>(poses.size()),
                       object.width,
                       object.height,
                       pair_of(object.centre),
                       pair_of(centre_part(object))};
  set_arguments(make_taps_, device_points, pixels, device_arms, sizes, made.offsets, made.values);
  session_.launch(make_taps_, "make_taps", {points.size(), poses.size()}, cl::NDRange(64, 1));
  set_arguments(finish_taps_, sizes.points, level.pitch, made.offsets, made.values, made.rims);
  const std::size_t items = session_.is_cpu() ? 1 : kGroup;
  session_.launch(finish_taps_, "finish_taps", {poses.size() * items}, cl::NDRange(items));
  session_.finish();
  return made;
}

PosePeaks PoseSearch::search(const PyramidLevel& level, const PoseObject& object,
                             std::span<const TurnScale> poses, const Wanted& wanted) {
  const std::size_t run = wanted.run;
  require(!object.points.empty(), "PoseSearch::search: the object has no points");
  require(run > 0, "PoseSearch::search: a run has no poses");
  RunScores scores;
  scores.map.rows = static_cast<cl_int>(round_up(to_size(level.height), kRows));
  scores.map.pitch = static_cast<cl_int>(round_up(to_size(level.width), kCpuColumns));
  scores.map.width = level.width;
  scores.map.height = level.height;
  const std::size_t runs_at_once =
      std::max<std::size_t>(1, std::min(kMapBytes / (scores.positions() * 8),
                                        kTemplateBytes / (8 * object.points.size() * run)));
  const std::size_t room = std::min(runs_at_once, parts(poses.size(), run)) * scores.positions();
  scores.scores = session_.allocate(room * sizeof(cl_float));
  scores.templates = session_.allocate(room * sizeof(cl_int));
  if (wanted.map != nullptr) {
    *wanted.map = {
        .scores = std::vector<float>(to_size(level.width) * to_size(level.height), kPoseOutside),
        .width = level.width,
        .height = level.height};
  }
  PosePeaks all;
  for (std::size_t first = 0; first < poses.size(); first += runs_at_once * run) {
    const auto part = poses.subspan(first, std::min(runs_at_once * run, poses.size() - first));
    score_runs(level, object, part, wanted, scores);
    PosePeaks found = read_peaks(scores, wanted.min_score);
    for (PosePeak& peak : found.peaks) peak.template_index += static_cast<cl_int>(first);
    all.peaks.insert(all.peaks.end(), found.peaks.begin(), found.peaks.end());
    all.has_flat |= found.has_flat;
    all.has_contrast |= found.has_contrast;
  }
  std::sort(all.peaks.begin(), all.peaks.end(), [](const PosePeak& a, const PosePeak& b) {
    return std::tuple(-a.score, a.template_index, a.y, a.x) <
           std::tuple(-b.score, b.template_index, b.y, b.x);
  });
  return all;
}

// Scores as many runs of poses as there is room for.
void PoseSearch::score_runs(const PyramidLevel& level, const PoseObject& object,
                            std::span<const TurnScale> poses, const Wanted& wanted,
                            RunScores& scores) {
  const Templates templates = make_templates(level, object, poses);
  const std::size_t runs = parts(poses.size(), wanted.run);
  scores.map.runs = static_cast<cl_int>(runs);
  const Search search{static_cast<cl_int>(object.points.size()), static_cast<cl_int>(wanted.either),
                      static_cast<cl_int>(poses.size()), static_cast<cl_int>(wanted.run)};
  set_arguments(best_of_runs_, level.pixels, LevelPlace(level), templates.rims, templates.offsets,
                templates.values, search, scores.map, scores.scores, scores.templates);
  const std::size_t rows = to_size(scores.map.rows) / kRows;
  const std::size_t pitch = to_size(scores.map.pitch);
  if (session_.is_cpu()) {
    session_.launch(best_of_runs_, "best_of_runs", {pitch / kCpuColumns, rows, runs}, {{1, 1, 1}});
  } else {
    session_.launch(best_of_runs_, "best_of_runs", {pitch, rows, runs}, {{32, 4, 1}});
  }
  if (wanted.map == nullptr) return;
  std::vector<float> values(runs * scores.positions());
  session_.read<float>(scores.scores, values);
  raise(*wanted.map, values, pitch, to_size(scores.map.rows));
}

// Grows the list of peaks until it holds all.
PosePeaks PoseSearch::read_peaks(const RunScores& scores, float min_score) {
  const ScoreMap& map = scores.map;
  for (cl_uint capacity = kFirstPeaks;;) {
    const cl::Buffer list = session_.allocate(capacity * sizeof(PosePeak));
    std::array<cl_uint, 3> counters{};
    const auto device_counters = session_.upload<cl_uint>(counters);
    set_arguments(find_peaks_, scores.scores, scores.templates, map, min_score, list, capacity,
                  device_counters);
    session_.launch(find_peaks_, "find_peaks",
                    {to_size(map.width), to_size(map.height), to_size(map.runs)}, {{32, 1, 1}});
    session_.read<cl_uint>(device_counters, counters);
    const bool all_written = counters[0] <= capacity;
    capacity = counters[0];
    if (!all_written) continue;
    std::vector<PosePeak> peaks(counters[0]);
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
  const Search search{static_cast<cl_int>(object.points.size()), static_cast<cl_int>(either),
                      static_cast<cl_int>(tries.size()), 1};
  set_arguments(refine_, level.pixels, LevelPlace(level), templates.rims, templates.offsets,
                templates.values, search, device_tries);
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
  std::vector<FitPose> device_poses;
  for (const CentrePose& pose : poses) {
    device_poses.push_back(
        {pair_of(pose.centre), arm_of(pose.turn_scale), static_cast<cl_float>(pose.grey), 0});
  }
  const int chunk_rows = parts(object.height, kFitChunks);
  const std::size_t chunks = to_size(parts(object.height, chunk_rows));
  const FitSizes sizes{object.width, object.height, pair_of(object.centre), chunk_rows, 0};
  const auto list = session_.upload<FitPose>(device_poses);
  std::vector<float> partial(poses.size() * chunks * kPoseFitTerms);
  const cl::Buffer sums = session_.allocate(partial.size() * sizeof(float));
  set_arguments(fit_sums_, level.pixels, LevelPlace(level), fitted.pixels, fitted.mask, sizes, list,
                sums);
  const std::size_t items = session_.is_cpu() ? 1 : kGroup;
  session_.launch(fit_sums_, "fit_sums", {chunks * items, poses.size()}, cl::NDRange(items, 1));
  session_.read<float>(sums, partial);
  std::vector<PoseFitSums> result(poses.size());
  for (std::size_t i = 0; i < partial.size(); ++i) {
    result[i / (chunks * kPoseFitTerms)][i % kPoseFitTerms] += double{partial[i]};
  }
  return result;
}

}  // namespace lookalike
