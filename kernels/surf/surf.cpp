#include "kernels/surf/surf.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace lookalike {
namespace {

// As kernels/surf/common.cl declares it.
struct FoundKeypoint {
  Keypoint keypoint;
  std::int32_t kept = 0;
};
static_assert(sizeof(Keypoint) == 28 && std::is_trivially_copyable_v<Keypoint>);
static_assert(sizeof(FoundKeypoint) == 32);
static_assert(sizeof(SurfLayer) == 56 && std::is_trivially_copyable_v<SurfLayer>);

constexpr std::size_t kGpuGroupSize = 64;
constexpr std::size_t kFirstCapacity = 4096;  // keypoints; grows to what images need
constexpr int kStripColumns = 64;             // of the integral image, per group
constexpr int kChunkColumns = 64;             // of a window, sampled together
constexpr int kLanes = 16;                    // columns are sampled in multiples of this
// Groups that share the search for orientations: enough for every core of a large device.
constexpr std::size_t kOrientationGroups = 1024;

std::string define(const std::string& name, const std::string& value) {
  return " -D" + name + '=' + value;
}

std::string define(const std::string& name, int value) {
  return define(name, std::to_string(value));
}

// The exact value, as C's hexadecimal literals write it.
std::string literal(float value) {
  char text[48];
  std::snprintf(text, sizeof text, "%af", static_cast<double>(value));
  return text;
}

std::string literals(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) {
    if (!text.empty()) text += ',';
    text += literal(value);
  }
  return text;
}

std::string build_options(const SurfParameters& parameters, std::size_t group_size,
                          std::size_t sample_count) {
  return define("LOCAL_SIZE", static_cast<int>(group_size)) + define("STRIP", kStripColumns) +
         define("CROSS_SHARE", literal(kCrossShare)) + define("SIDE_STEP", kSurfSideStep) +
         define("SAMPLES", static_cast<int>(sample_count)) +
         define("WINDOWS", 360 / kOrientationStepDegrees) +
         define("STEP", kOrientationStepDegrees) +
         define("REACH", kOrientationHalfWindowDegrees / kOrientationStepDegrees) +
         define("UPRIGHT", parameters.upright ? 1 : 0) +
         define("UPRIGHT_ANGLE", literal(kUprightAngleDegrees)) + define("PATCH", kPatchSide) +
         define("CHUNK", kChunkColumns) + define("LANES", kLanes) +
         define("DESCRIPTOR_SIZE", static_cast<int>(parameters.descriptor_size)) +
         define("NORM_EPSILON", literal(kNormEpsilon)) +
         define("DESCRIPTOR_GAUSSIAN", literals(gaussian(kPatchSide - 1, kDescriptorSigma)));
}

// One array per field, so that a device reads neighbours together.
std::vector<float> flatten(const std::vector<OrientationSample>& samples) {
  std::vector<float> values;
  for (const auto field :
       {&OrientationSample::x, &OrientationSample::y, &OrientationSample::weight}) {
    for (const OrientationSample& sample : samples) values.push_back(sample.*field);
  }
  return values;
}

void check_masks(std::span<const ImageView> images, std::span<const ImageView> masks) {
  require(masks.empty() || masks.size() == images.size(), "Surf: not one mask per image");
  for (std::size_t i = 0; i < masks.size(); ++i) {
    require(masks[i].empty() ||
                (masks[i].width == images[i].width && masks[i].height == images[i].height),
            "Surf: a mask has not its image's size");
  }
}

}  // namespace

Surf::Surf(OpenClSession& session, const SurfParameters& parameters)
    : session_(session),
      parameters_(parameters),
      group_size_(session.is_cpu() ? 1
                                   : std::bit_floor(std::min(
                                         kGpuGroupSize, session.device().max_work_group_size))),
      capacity_(kFirstCapacity) {
  check_parameters(parameters);
  const std::vector<OrientationSample> samples = orientation_samples();
  const std::string options = build_options(parameters, group_size_, samples.size());
  const auto kernel = [&](const char* name) {
    return session.kernel(
        {"surf/common.cl", "surf/integral.cl", "surf/hessian.cl", "surf/maxima.cl",
         "surf/orientation.cl", "surf/window.cl", "surf/descriptor.cl"},
        name, options);
  };
  scan_rows_ = kernel("scan_rows");
  scan_columns_ = kernel("scan_columns");
  hessian_ = kernel("hessian");
  maxima_ = kernel("maxima");
  orientation_ = kernel("orientation");
  descriptor_ = kernel("descriptor");
  orientation_samples_ = session.upload<float>(flatten(samples));
  found_ = session.allocate(sizeof(std::int32_t));
}

const cl::Buffer& Surf::GrowingBuffer::at_least(OpenClSession& session, std::size_t wanted_bytes) {
  if (wanted_bytes > bytes || bytes == 0) {
    bytes = 0;
    buffer = cl::Buffer();
    buffer = session.allocate(wanted_bytes);
    bytes = wanted_bytes;
  }
  return buffer;
}

std::vector<FeatureSet> Surf::extract(std::span<const ImageView> images,
                                      std::span<const ImageView> masks) {
  check_masks(images, masks);
  std::vector<FeatureSet> features;
  features.reserve(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    features.push_back(extract_one(images[i], masks.empty() ? ImageView{} : masks[i]));
  }
  return features;
}

FeatureSet Surf::extract_one(const ImageView& image, const ImageView& mask) {
  FeatureSet features;
  features.descriptor_size = parameters_.descriptor_size;
  plan_for(image);
  if (plan_.search_rows == 0) return features;
  integrate(image);
  features.keypoints = find_keypoints();
  select_keypoints(features.keypoints, mask, parameters_.max_features);
  features.descriptors = describe(features.keypoints);
  return features;
}

void Surf::plan_for(const ImageView& image) {
  if (plan_.width == image.width && plan_.height == image.height) return;
  plan_ = {};
  SurfPlan plan = plan_surf(image.width, image.height, parameters_);
  if (plan.search_rows > 0) {
    const std::span<const SurfLayer> layers = plan.layers;
    session_.write(layers_.at_least(session_, layers.size_bytes()), layers);
  }
  plan_ = std::move(plan);
}

void Surf::launch(cl::Kernel& kernel, const char* label, std::size_t groups) {
  session_.launch(kernel, label, cl::NDRange(groups * group_size_), cl::NDRange(group_size_));
}

void Surf::integrate(const ImageView& image) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  const cl::Buffer& pixels = pixels_.at_least(session_, image.size());
  const cl::Buffer& integral =
      integral_.at_least(session_, (width + 1) * (height + 1) * sizeof(std::int32_t));
  const cl::Buffer& quads = quads_.at_least(session_, image.size() * sizeof(std::uint32_t));
  session_.write(pixels, std::span(image.pixels, image.size()));
  set_arguments(scan_rows_, pixels, image.width, image.height, integral, quads);
  launch(scan_rows_, "surf scan_rows", height + 1);
  set_arguments(scan_columns_, image.width, image.height, integral);
  launch(scan_columns_, "surf scan_columns", round_up(width + 1, kStripColumns) / kStripColumns);
}

std::vector<Keypoint> Surf::find_keypoints() {
  const auto layer_count = static_cast<std::int32_t>(plan_.layers.size());
  const cl::Buffer& maps = maps_.at_least(session_, plan_.map_values * sizeof(float));
  set_arguments(hessian_, integral_.buffer, plan_.width + 1, layers_.buffer, layer_count, maps);
  launch(hessian_, "surf hessian", plan_.sample_rows);
  std::size_t count = search();
  while (count > capacity_) {
    const std::size_t wanted = std::bit_ceil(count);
    keypoints_.at_least(session_, wanted * sizeof(FoundKeypoint));
    capacity_ = wanted;
    count = search();
  }
  std::vector<FoundKeypoint> found(count);
  session_.read(keypoints_.buffer, std::span(found));
  std::vector<Keypoint> keypoints;
  keypoints.reserve(count);
  for (const FoundKeypoint& one : found) {
    if (one.kept != 0) keypoints.push_back(one.keypoint);
  }
  return keypoints;
}

std::size_t Surf::search() {
  const auto layer_count = static_cast<std::int32_t>(plan_.layers.size());
  const auto capacity = static_cast<std::int32_t>(capacity_);
  const cl::Buffer& keypoints = keypoints_.at_least(session_, capacity_ * sizeof(FoundKeypoint));
  session_.clear(found_, sizeof(std::int32_t));
  set_arguments(maxima_, integral_.buffer, plan_.width + 1, layers_.buffer, layer_count,
                maps_.buffer, parameters_.hessian_threshold, capacity, found_, keypoints);
  launch(maxima_, "surf maxima", plan_.search_rows);
  set_arguments(orientation_, integral_.buffer, plan_.width, plan_.height, orientation_samples_,
                found_, capacity, keypoints);
  launch(orientation_, "surf orientation", kOrientationGroups);
  std::int32_t count = 0;
  session_.read(found_, std::span(&count, 1));
  return static_cast<std::size_t>(count);
}

std::vector<float> Surf::describe(const std::vector<Keypoint>& keypoints) {
  if (keypoints.empty()) return {};
  std::vector<FoundKeypoint> chosen;
  chosen.reserve(keypoints.size());
  for (const Keypoint& keypoint : keypoints) chosen.push_back({keypoint, 1});
  std::vector<float> values(keypoints.size() * parameters_.descriptor_size);
  const std::span<const FoundKeypoint> list = chosen;
  const cl::Buffer& chosen_buffer = chosen_.at_least(session_, list.size_bytes());
  const cl::Buffer& descriptors = descriptors_.at_least(session_, values.size() * sizeof(float));
  session_.write(chosen_buffer, list);
  set_arguments(descriptor_, quads_.buffer, plan_.width, plan_.height, chosen_buffer, descriptors);
  launch(descriptor_, "surf descriptor", keypoints.size());
  session_.read(descriptors, std::span(values));
  return values;
}

}  // namespace lookalike
