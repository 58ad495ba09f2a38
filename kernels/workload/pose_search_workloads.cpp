#include <cmath>
#include <memory>
#include <numbers>

#include "kernels/pose_search/pose_search.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

constexpr std::size_t kRun = 8;  // neighbouring turns of which the best counts, as `locate` asks
constexpr float kMinScore = 0.9F;

struct Size {
  int width;
  int height;
  int side;  // of the object, px
  std::size_t poses;
};

// What `locate` meets on the coarsest level of photos of 640 x 480 and 1920 x 1080. There is one
// form a device, hence nothing to tune.
std::vector<Size> sizes_for(WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{60, 40, 8, 16}};
    case WorkloadScale::kTuning:
      return {{160, 120, 11, 256}};
    case WorkloadScale::kFull:
      break;
  }
  return {{160, 120, 11, 1024}, {480, 270, 11, 1024}};
}

PoseObject object_of(int side) {
  PoseObject object;
  object.width = object.height = side;
  object.centre = {(side - 1) / 2.0, (side - 1) / 2.0};
  const GrayImage picture = noise_picture(side, side, 2);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      object.pixels.push_back(static_cast<float>(picture.view().at(x, y)) - 128.0F);
      object.mask.push_back(255);
      object.points.push_back({x - object.centre.x, y - object.centre.y});
    }
  }
  return object;
}

std::vector<TurnScale> poses_of(std::size_t count) {
  std::vector<TurnScale> poses;
  for (std::size_t i = 0; i < count; ++i) {
    poses.push_back(
        {2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count), 1});
  }
  return poses;
}

// On the device.
struct Problem {
  Problem(OpenClSession& session, const Size& size)
      : scene(session),
        search(session),
        picture(noise_picture(size.width, size.height, 1)),
        object(object_of(size.side)),
        poses(poses_of(size.poses)),
        reach_px(size.side + 20) {}
  void solve() {
    scene.load(picture.view(), 1, reach_px);
    search.search(scene.level(0), object, poses, kRun, kMinScore, false);
  }
  ScenePyramid scene;
  PoseSearch search;
  GrayImage picture;
  PoseObject object;
  std::vector<TurnScale> poses;
  int reach_px;
};

// Operations are those of the products of templates and pixels.
Workload workload_of(OpenClSession& session, const Size& size) {
  const double products = 1.0 * size.width * size.height * size.side * size.side;
  Workload workload{.kernel = "pose_search",
                    .sizes = {{"width", static_cast<std::uint64_t>(size.width)},
                              {"height", static_cast<std::uint64_t>(size.height)},
                              {"points", static_cast<std::uint64_t>(size.side * size.side)},
                              {"poses", size.poses}},
                    .unit = WorkUnit::kOperations,
                    .amount = 2 * products * static_cast<double>(size.poses),
                    .variants = {session.is_cpu() ? "vector" : "group"}};
  workload.prepare = [&session, size](const std::string& /*variant*/) {
    const auto problem = std::make_shared<Problem>(session, size);
    return [=] { problem->solve(); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> pose_search_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(scale)) workloads.push_back(workload_of(session, size));
  return workloads;
}

}  // namespace lookalike
