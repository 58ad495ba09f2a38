#include "kernels/surf/surf.h"

#include <algorithm>
#include <type_traits>

namespace lookalike {
namespace {

// As kernels/surf/common.cl declares it.
struct FoundKeypoint {
  Keypoint keypoint;
  std::int32_t image = 0;
};
static_assert(sizeof(Keypoint) == 28 && std::is_trivially_copyable_v<Keypoint>);
static_assert(sizeof(FoundKeypoint) == 32);
static_assert(sizeof(SurfLayer) == 56 && std::is_trivially_copyable_v<SurfLayer>);
static_assert(sizeof(SurfImage) == 72 && std::is_trivially_copyable_v<SurfImage>);

// On a CPU, what a batch shares should stay in its caches: more than a photo of 640 x 480 does not.
constexpr std::size_t kCpuBatchBytes = std::size_t{8} << 20;
// 256 photos of 640 x 480 keep a large GPU busy for milliseconds, and more gain nothing.
constexpr std::size_t kGpuBatchBytes = std::size_t{4} << 30;
constexpr std::size_t kMostImages = 4096;

std::size_t batch_bytes(const DeviceInfo& device, SurfKernel kernel) {
  if (kernel == SurfKernel::kCpu) return kCpuBatchBytes;
  // Maps are the largest buffer, two thirds of all.
  const std::uint64_t room = std::min(device.global_memory_bytes / 4, device.max_allocation_bytes);
  return static_cast<std::size_t>(std::min<std::uint64_t>(kGpuBatchBytes, room));
}

void check_masks(std::span<const ImageView> images, std::span<const ImageView> masks) {
  require(masks.empty() || masks.size() == images.size(), "Surf: not one mask per image");
  for (std::size_t i = 0; i < masks.size(); ++i) {
    require(masks[i].empty() ||
                (masks[i].width == images[i].width && masks[i].height == images[i].height),
            "Surf: a mask has not its image's size");
  }
}

SurfParameters checked(const SurfParameters& parameters) {
  check_parameters(parameters);
  return parameters;
}

}  // namespace

Surf::Surf(OpenClSession& session, const SurfParameters& parameters, SurfKernel kernel)
    : session_(session),
      parameters_(checked(parameters)),
      program_(session, parameters_, kernel),
      batch_bytes_(batch_bytes(session.device(), program_.kernel())) {}

std::vector<FeatureSet> Surf::extract(std::span<const ImageView> images,
                                      std::span<const ImageView> masks) {
  check_masks(images, masks);
  std::vector<FeatureSet> features(images.size());
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < images.size(); ++i) {
    features[i].descriptor_size = parameters_.descriptor_size;
    SurfPlan plan = plan_surf(images[i].width, images[i].height, parameters_);
    if (plan.search_rows == 0) continue;
    const ImageView mask = masks.empty() ? ImageView{} : masks[i];
    tasks.push_back({images[i], mask, std::move(plan), &features[i]});
  }
  std::span<const Task> left = tasks;
  while (!left.empty()) {
    const std::size_t fitting = count_fitting(left);
    for_each_batch(fitting, fitting, [&](std::size_t first, std::size_t count) {
      extract_batch(left.subspan(first, count));
    });
    left = left.subspan(fitting);
  }
  return features;
}

// At least one, whether it fits or not.
std::size_t Surf::count_fitting(std::span<const Task> tasks) const {
  SurfBatchSize size;
  std::size_t count = 0;
  for (; count < std::min(tasks.size(), kMostImages); ++count) {
    size.add(tasks[count].plan, !tasks[count].mask.empty());
    if (count > 0 && size.bytes() > batch_bytes_) break;
  }
  return count;
}

void Surf::extract_batch(std::span<const Task> tasks) {
  try {
    SurfBatch batch;
    for (const Task& task : tasks) batch.add(task.plan, !task.mask.empty());
    upload(batch, tasks);
    give_places(batch, {});
    program_.integrate(batch, buffers_);
    program_.filter(batch, buffers_);
    const std::vector<std::int32_t> counts = search(batch);
    std::vector<std::int32_t> first_chosen = {0};
    for (const std::int32_t count : counts) {
      const std::size_t found = static_cast<std::size_t>(count);
      const std::size_t most = parameters_.max_features > 0 ? parameters_.max_features : found;
      first_chosen.push_back(first_chosen.back() +
                             static_cast<std::int32_t>(std::min(found, most)));
    }
    const auto chosen = static_cast<std::size_t>(first_chosen.back());
    if (chosen == 0) return;
    buffers_.first_chosen.reserve(session_, first_chosen.size() * sizeof(std::int32_t));
    buffers_.chosen.reserve(session_, chosen * sizeof(FoundKeypoint));
    buffers_.descriptors.reserve(session_, chosen * parameters_.descriptor_size * sizeof(float));
    session_.write<std::int32_t>(buffers_.first_chosen.buffer, first_chosen);
    const std::int32_t most_found = *std::max_element(counts.begin(), counts.end());
    program_.rank(batch, static_cast<std::size_t>(most_found), buffers_);
    program_.describe(chosen, buffers_);
    hand_over(tasks, first_chosen);
  } catch (const DeviceOutOfMemory&) {
    buffers_ = {};  // a smaller batch needs the room
    throw;
  }
}

void Surf::upload(const SurfBatch& batch, std::span<const Task> tasks) {
  const SurfBatchSize& size = batch.size;
  buffers_.pixels.reserve(session_, size.pixels);
  buffers_.masks.reserve(session_, size.mask_pixels);
  buffers_.quads.reserve(session_, size.pixels * sizeof(std::uint32_t));
  buffers_.integral.reserve(session_, size.integral_values * sizeof(std::int32_t));
  buffers_.maps.reserve(session_, size.map_values * sizeof(float));
  buffers_.layers.reserve(session_, batch.layers.size() * sizeof(SurfLayer));
  session_.write<SurfLayer>(buffers_.layers.buffer, batch.layers);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& [image, mask, plan, features] = tasks[i];
    session_.write(buffers_.pixels.buffer, std::span(image.pixels, image.size()),
                   static_cast<std::size_t>(batch.images[i].pixels));
    if (mask.empty()) continue;
    session_.write(buffers_.masks.buffer, std::span(mask.pixels, mask.size()),
                   static_cast<std::size_t>(batch.images[i].mask));
  }
}

void Surf::give_places(SurfBatch& batch, std::span<const std::int32_t> counts) {
  batch.give_places(counts);
  buffers_.images.reserve(session_, batch.images.size() * sizeof(SurfImage));
  buffers_.found.reserve(session_, batch.places * sizeof(FoundKeypoint));
  buffers_.responses.reserve(session_, batch.places * sizeof(float));
  session_.write<SurfImage>(buffers_.images.buffer, batch.images);
}

// How many keypoints each image has; all of them are found, in no order.
std::vector<std::int32_t> Surf::search(SurfBatch& batch) {
  std::vector<std::int32_t> counts(batch.images.size());
  buffers_.counts.reserve(session_, counts.size() * sizeof(std::int32_t));
  while (true) {
    program_.search(batch, buffers_);
    session_.read<std::int32_t>(buffers_.counts.buffer, counts);
    if (batch.holds(counts)) return counts;
    give_places(batch, counts);
  }
}

void Surf::hand_over(std::span<const Task> tasks, std::span<const std::int32_t> first_chosen) {
  const auto chosen = static_cast<std::size_t>(first_chosen.back());
  const std::size_t length = parameters_.descriptor_size;
  session_.view<FoundKeypoint>(buffers_.chosen.buffer, chosen, [&](auto keypoints) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      std::vector<Keypoint>& own = tasks[i].features->keypoints;
      own.clear();
      for (auto k = first_chosen[i]; k < first_chosen[i + 1]; ++k) {
        own.push_back(keypoints[static_cast<std::size_t>(k)].keypoint);
      }
    }
  });
  session_.view<float>(buffers_.descriptors.buffer, chosen * length, [&](auto values) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::size_t first = static_cast<std::size_t>(first_chosen[i]) * length;
      const std::size_t end = static_cast<std::size_t>(first_chosen[i + 1]) * length;
      tasks[i].features->descriptors.assign(values.data() + first, values.data() + end);
    }
  });
}

}  // namespace lookalike
