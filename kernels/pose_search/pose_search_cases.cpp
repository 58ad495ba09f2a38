#include <cmath>
#include <numbers>

#include "kernels/cases.h"
#include "kernels/pose_search/pose_search.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

constexpr std::size_t kRun = 8;  // neighbouring turns per run, as in `locate`
constexpr float kMinScore = 0.9F;
constexpr double kTolerance = 1e-3;

struct Size {
  int width;
  int height;
  int side;  // of the object, px
  std::size_t poses;
};

// Sizes as in `locate` on the coarsest level of photos of 640 x 480 and 1920 x 1080.
const CaseSizes<Size> kSizes = {
    .self_test = {{80, 60, 18, 2}},
    .test = {{40, 40, 20, 0}, {40, 40, 20, 1}, {33, 31, 11, 9}, {67, 50, 20, 8}, {129, 65, 17, 17}},
    .quick = {{60, 40, 8, 16}},
    .tuning = {{160, 120, 11, 256}},
    .full = {{160, 120, 11, 1024}, {480, 270, 11, 1024}}};

struct Inputs {
  GrayImage scene;
  int left;  // corner of the object, which is cut from the scene
  int top;
  PoseObject object;
  std::vector<TurnScale> poses;  // the first is as the object lies in the scene
};

Inputs inputs_of(const Size& size) {
  Inputs inputs{.scene = noise_picture(size.width, size.height, 1),
                .left = (size.width - size.side) / 2,
                .top = (size.height - size.side) / 3,
                .object = {},
                .poses = {}};
  PoseObject& object = inputs.object;
  object.width = object.height = size.side;
  object.centre = {(size.side - 1) / 2.0, (size.side - 1) / 2.0};
  for (int y = 0; y < size.side; ++y) {
    for (int x = 0; x < size.side; ++x) {
      const int grey = inputs.scene.at(inputs.left + x, inputs.top + y);
      object.pixels.push_back(static_cast<float>(grey) - 128.0F);
      object.mask.push_back(255);
      object.points.push_back({x - object.centre.x, y - object.centre.y});
    }
  }
  // Turns by whole quarters would put taps halfway between pixels, where rounding decides.
  const double step = 2 * std::numbers::pi / (static_cast<double>(size.poses) + 0.37);
  for (std::size_t i = 0; i < size.poses; ++i) {
    inputs.poses.push_back({step * static_cast<double>(i), 1});
  }
  return inputs;
}

// Returns the best score of any pose at each position.
std::vector<float> map_reference(const Inputs& inputs) {
  const PlainLevel plain = scene_pyramid_reference(inputs.scene.view(), 1).front();
  std::vector<float> best(plain.pixels.size(), kPoseOutside);
  for (const TurnScale& pose : inputs.poses) {
    const auto scores = pose_scores_reference(plain, inputs.object, pose, false);
    std::transform(scores.begin(), scores.end(), best.begin(), best.begin(),
                   [](float a, float b) { return std::max(a, b); });
  }
  return best;
}

struct Search {
  explicit Search(OpenClSession& session) : pyramid(session), search(session) {}

  PosePeaks find(const Inputs& inputs, PoseMap* map) {
    pyramid.load(inputs.scene.view(), 1, inputs.object.width + 20);
    return search.search(pyramid.level(0), inputs.object, inputs.poses,
                         {.run = kRun, .min_score = kMinScore, .map = map});
  }

  ScenePyramid pyramid;
  PoseSearch search;
};

CaseRun prepare(OpenClSession& session, const Inputs& inputs, const std::string& /*variant*/) {
  const auto search = std::make_shared<Search>(session);
  const auto check = [=, &inputs]() -> std::string {
    PoseMap map;
    const std::vector<PosePeak> peaks = search->find(inputs, &map).peaks;
    const int half = (inputs.object.width - 1) / 2;
    const bool found = !peaks.empty() && peaks[0].template_index == 0 &&
                       peaks[0].x == inputs.left + half && peaks[0].y == inputs.top + half;
    if (found == inputs.poses.empty()) return "the object is not found at its place";
    return difference(map.scores, map_reference(inputs), kTolerance);
  };
  return {[=, &inputs] { search->find(inputs, nullptr); }, check};
}

}  // namespace

std::vector<KernelCase> pose_search_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : kSizes.at(scale)) {
    const double products = 1.0 * size.width * size.height * size.side * size.side;
    KernelCase problem{.kernel = "pose_search",
                       .sizes = {{"width", to_size(size.width)},
                                 {"height", to_size(size.height)},
                                 {"points", to_size(size.side * size.side)},
                                 {"poses", size.poses}},
                       .unit = WorkUnit::kOperations,
                       .amount = 2 * products * static_cast<double>(size.poses)};
    // A device has one form.
    const std::vector<std::string> form = {session.is_cpu() ? "vector" : "group"};
    cases.push_back(with_variants(
        std::move(problem), session, form, [=] { return inputs_of(size); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
