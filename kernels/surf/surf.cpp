#include "kernels/surf/surf.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>

#include "kernels/session/build_options.h"
#include "kernels/surf/surf_plan.h"
#include "kernels/surf/tone.h"

namespace lookalike {
namespace {

// Division of the work of kCpu; the .cl files explain the macros that are set from these.
constexpr std::size_t kStripColumns = 64;
constexpr std::size_t kRankedByItem = 64;
constexpr int kLanes = 16;

// Division of the work of kGpu.
constexpr std::size_t kSurfGroupItems = 64;
constexpr std::size_t kSurfBandRows = 16;
constexpr std::size_t kScanItems = 256;
constexpr std::size_t kTeams = 7;
constexpr std::size_t kMembers = 32;
// 16 columns and 2 rows at a time, twice: the fastest of 8 shapes on an H200 (kernels_benchmark
// --kernel surf).
constexpr int kMemberColumns = 16;
constexpr int kColumnsEach = 2;

// Work-items of a group of signed_roots.
constexpr std::size_t kRootItems = 64;
// Computes quotients and roots as the host does.
constexpr const char* kRoundExactly = " -cl-fp32-correctly-rounded-divide-sqrt";

constexpr int kGreyLevels = 256;
constexpr int kChunkColumns = 64;             // of a window, averaged together
constexpr float kOrientationUnits = 4194304;  // gradients are added up in parts of 1 / this

// Bytes of a batch's buffers on a CPU, whose caches hold one photo of 640 x 480.
constexpr std::size_t kCpuBatchBytes = std::size_t{8} << 20;
// Bytes on a GPU: 256 photos of 640 x 480 keep a large one busy for milliseconds, and more gain
// nothing.
constexpr std::size_t kGpuBatchBytes = std::size_t{4} << 30;
constexpr std::size_t kMaxBatchImages = 4096;

// Room for keypoints; photos have one per 100 to 1000 pixels at the usual threshold of 100.
constexpr std::size_t kPixelsPerPlace = 32;
constexpr std::size_t kMinPlaces = 64;

// An image of a batch, and where its parts begin in the buffers that the batch's images share. As
// Image in common.cl.
struct BatchImage {
  std::int64_t source = 0;    // in the pixels of DeviceImages
  std::int64_t curve = 0;     // in the curves
  std::int64_t pixels = 0;    // as source, or in the toned pixels
  std::int64_t mask = -1;     // in the pixels of masks; -1: none
  std::int64_t quads = 0;     // in the quads
  std::int64_t integral = 0;  // in the integral images
  std::int64_t maps = 0;      // in the maps; SurfLayer::map counts from here
  std::int64_t places = 0;    // in the places for keypoints
  std::int64_t capacity = 0;  // places of this image
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int32_t first_layer = 0;  // in the batch's layers
  std::int32_t layer_count = 0;
  std::int32_t sample_rows = 0;  // of all its layers
  std::int32_t search_rows = 0;
  std::int32_t halvings = 0;
};

// As in common.cl.
struct FoundKeypoint {
  Keypoint keypoint;
  std::int32_t image = 0;
};
static_assert(sizeof(Keypoint) == 28 && std::is_trivially_copyable_v<Keypoint>);
static_assert(sizeof(FoundKeypoint) == 32);
static_assert(sizeof(SurfLayer) == 56 && std::is_trivially_copyable_v<SurfLayer>);
static_assert(sizeof(BatchImage) == 104 && std::is_trivially_copyable_v<BatchImage>);

// An image in which keypoints can be found.
struct Task {
  std::size_t image = 0;  // number in the call
  DeviceImages::Place place;
  SurfPlan plan;
};

// Images that go through the kernels together, and the extent of the buffers that they share.
struct Batch {
  std::vector<BatchImage> images;
  std::vector<SurfLayer> layers;  // images of one size in a row share theirs
  std::size_t pixels = 0;         // halved images included
  std::size_t integral_values = 0;
  std::size_t map_values = 0;
  std::size_t places = 0;

  void add(const Task& task) {
    BatchImage image;
    image.source = static_cast<std::int64_t>(task.place.pixels);
    image.pixels = image.source;
    image.mask = task.place.mask;
    image.quads = static_cast<std::int64_t>(pixels);
    image.integral = static_cast<std::int64_t>(integral_values);
    image.maps = static_cast<std::int64_t>(map_values);
    image.places = static_cast<std::int64_t>(places);
    image.width = task.place.width;
    image.height = task.place.height;
    image.layer_count = static_cast<std::int32_t>(task.plan.layers.size());
    image.sample_rows = static_cast<std::int32_t>(task.plan.sample_rows);
    image.search_rows = static_cast<std::int32_t>(task.plan.search_rows);
    image.halvings = task.plan.halvings;
    image.capacity =
        static_cast<std::int64_t>(std::max(kMinPlaces, task.place.size() / kPixelsPerPlace));
    if (!images.empty() && images.back().width == image.width &&
        images.back().height == image.height) {
      image.first_layer = images.back().first_layer;
    } else {
      image.first_layer = static_cast<std::int32_t>(layers.size());
      layers.insert(layers.end(), task.plan.layers.begin(), task.plan.layers.end());
    }
    images.push_back(image);

    for (int i = 0; i <= image.halvings; ++i) {
      pixels +=
          static_cast<std::size_t>(image.width >> i) * static_cast<std::size_t>(image.height >> i);
    }
    integral_values +=
        (static_cast<std::size_t>(image.width) + 1) * (static_cast<std::size_t>(image.height) + 1);
    map_values += task.plan.map_values;
    places += static_cast<std::size_t>(image.capacity);
  }

  // Makes images take their pixels through the curves of their levels.
  void tone(std::span<const Task> tasks, int target) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const int level = std::min(tasks[i].place.level, target);
      images[i].curve = std::int64_t{kGreyLevels} * level;
      images[i].pixels = images[i].quads;
    }
  }

  // Returns the largest value of a field in any image.
  std::size_t largest(std::int32_t BatchImage::*field) const {
    return static_cast<std::size_t>((*std::ranges::max_element(images, {}, field)).*field);
  }

  // Returns the device memory, without keypoints and descriptors.
  std::size_t bytes() const {
    return pixels * (sizeof(std::uint32_t) + 1) + integral_values * sizeof(std::int32_t) +
           map_values * sizeof(float);
  }

  // Gives each image places for its count of keypoints.
  void grow_places(std::span<const std::int32_t> counts) {
    places = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      images[i].places = static_cast<std::int64_t>(places);
      images[i].capacity = std::max<std::int64_t>(images[i].capacity, counts[i]);
      places += static_cast<std::size_t>(images[i].capacity);
    }
  }

  // True if each image has places for its count of keypoints.
  bool holds(std::span<const std::int32_t> counts) const {
    return std::equal(
        images.begin(), images.end(), counts.begin(),
        [](const BatchImage& image, std::int32_t count) { return count <= image.capacity; });
  }
};

std::string literals(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) {
    if (!text.empty()) text += ',';
    text += literal(value);
  }
  return text;
}

std::string build_options(SurfKernel kernel, const SurfParameters& parameters,
                          std::size_t sample_count) {
  const std::string form =
      kernel == SurfKernel::kCpu
          ? define("LOCAL_SIZE", 1) + define("STRIP", kStripColumns) +
                define("RANKED", kRankedByItem) + define("LANES", kLanes)
          : define("LOCAL_SIZE", kSurfGroupItems) + define("RANKED", kSurfGroupItems) +
                define("LANES", 0) + define("BAND_ROWS", kSurfBandRows) +
                define("SCAN_ITEMS", kScanItems) + define("TEAMS", kTeams) +
                define("MEMBERS", kMembers) + define("MEMBER_COLUMNS", kMemberColumns) +
                define("COLUMNS_EACH", kColumnsEach);
  return form + define("CROSS_SHARE", kCrossShare) + define("SIDE_STEP", kSurfSideStep) +
         define("SAMPLES", sample_count) + define("WINDOWS", 360 / kOrientationStepDegrees) +
         define("STEP", kOrientationStepDegrees) +
         define("REACH", kOrientationHalfWindowDegrees / kOrientationStepDegrees) +
         define("UNITS", kOrientationUnits) + define("UPRIGHT", parameters.upright ? 1 : 0) +
         define("UPRIGHT_ANGLE", kUprightAngleDegrees) + define("PATCH", kPatchSide) +
         define("MAX_INTERVAL", parameters.max_interval) + define("CHUNK", kChunkColumns) +
         define("DESCRIPTOR_SIZE", parameters.descriptor_size) +
         define("NORM_EPSILON", kNormEpsilon) +
         define("DESCRIPTOR_GAUSSIAN", literals(gaussian(kPatchSide - 1, kDescriptorSigma)));
}

std::size_t largest_batch_bytes(const DeviceInfo& device, SurfKernel kernel) {
  if (kernel == SurfKernel::kCpu) return kCpuBatchBytes;
  // Several queues may each have a batch. Maps are the largest buffer, two thirds of all.
  const std::uint64_t room = std::min(device.global_memory_bytes / 8, device.max_allocation_bytes);
  return static_cast<std::size_t>(std::min<std::uint64_t>(kGpuBatchBytes, room));
}

}  // namespace

std::vector<SurfKernel> surf_kernels(const OpenClSession& session) {
  if (session.device().max_work_group_size < kScanItems) return {SurfKernel::kCpu};
  if (session.is_cpu()) return {SurfKernel::kCpu, SurfKernel::kGpu};
  return {SurfKernel::kGpu, SurfKernel::kCpu};
}

struct Surf::Rep {
  Rep(OpenClSession& session, const SurfParameters& parameters, SurfKernel kernel);

  void build(std::string options);
  std::size_t count_fitting(std::span<const Task> tasks) const;
  FoundFeatures find_batch(const DeviceImages& images, std::span<const Task> tasks);
  void reserve(const Batch& batch);
  void upload_images(const Batch& batch);
  void tone(const DeviceImages& source, const Batch& batch);
  void integrate(const cl::Buffer& pixels, const Batch& batch);
  void halve(const Batch& batch);
  std::vector<std::int32_t> search(const DeviceImages& source, Batch& batch);
  void describe(std::size_t chosen);

  template <typename... Arguments>
  void launch(const std::string& name, const cl::NDRange& global, const cl::NDRange& local,
              const Arguments&... arguments) {
    cl::Kernel& kernel = kernels.at(name);
    set_arguments(kernel, arguments...);
    session.launch(kernel, "surf " + name, global, local);
  }

  OpenClSession& session;
  SurfParameters parameters;
  bool is_cpu;              // the form of the kernels
  std::size_t group_items;  // of work-groups, where no other number is given
  std::size_t batch_bytes;
  std::map<std::string, cl::Kernel> kernels;
  cl::Buffer samples;  // of orientation: all x, all y, all weights
  cl::Buffer curves;   // [brighten_to + 1][256]; see tone.h
  struct {
    GrowingBuffer images, layers, toned, integral, quads, maps;
    GrowingBuffer counts;            // keypoints found, per image
    GrowingBuffer found, responses;  // per place
    GrowingBuffer first_chosen;      // per image, and the end
    GrowingBuffer chosen, descriptors;
  } buffers;
  DeviceImages uploaded;  // by extract()
};

Surf::Rep::Rep(OpenClSession& its_session, const SurfParameters& its_parameters, SurfKernel kernel)
    : session(its_session), parameters(its_parameters), uploaded(its_session) {
  check_parameters(parameters);
  // Images may be of any size: the measurement of a typical photo decides.
  kernel = select_variant(session, "surf", {{"images", 4}, {"width", 1024}, {"height", 768}},
                          surf_kernels(session), kernel);
  is_cpu = kernel == SurfKernel::kCpu;
  group_items = is_cpu ? 1 : kSurfGroupItems;
  batch_bytes = largest_batch_bytes(session.device(), kernel);

  const std::vector<OrientationSample> offsets = orientation_samples();
  build(build_options(kernel, parameters, offsets.size()));
  std::vector<float> values;
  for (const auto field :
       {&OrientationSample::x, &OrientationSample::y, &OrientationSample::weight}) {
    for (const OrientationSample& sample : offsets) values.push_back(sample.*field);
  }
  samples = session.upload<float>(values);
  std::vector<std::uint8_t> all_curves;
  for (int level = 0; level <= parameters.brighten_to; ++level) {
    std::ranges::copy(tone_curve(level, parameters.brighten_to), std::back_inserter(all_curves));
  }
  curves = session.upload<std::uint8_t>(all_curves);
}

void Surf::Rep::build(std::string options) {
  const std::string exactly = session.device().rounds_exactly ? kRoundExactly : "";
  std::vector<std::string> sources = {"surf/common.cl",
                                      "surf/tone.cl",
                                      is_cpu ? "surf/integral.cl" : "surf/integral_groups.cl",
                                      "surf/halve.cl",
                                      "surf/hessian.cl",
                                      "surf/search.cl",
                                      "surf/orientation.cl",
                                      "surf/patch.cl",
                                      is_cpu ? "surf/descriptor.cl" : "surf/descriptor_groups.cl"};
  std::vector<std::string> names = {"tone", "hessian",     "search",
                                    "rank", "orientation", "descriptor"};
  if (is_cpu) {
    // Exact rounding costs nothing here, so that signed_roots is a kernel of the same program,
    // which PoCL builds sooner than one more program.
    options += exactly;
    sources.emplace_back("surf/signed_roots.cl");
    names.insert(names.end(), {"scan_rows", "scan_columns"});
    if (parameters.signed_roots) names.emplace_back("signed_roots");
  } else {
    names.insert(names.end(), {"sum_bands", "start_bands", "scan_bands"});
    if (parameters.signed_roots) {
      kernels["signed_roots"] =
          session.kernel({"surf/signed_roots.cl"}, "signed_roots",
                         define("DESCRIPTOR_SIZE", parameters.descriptor_size) + exactly);
    }
  }
  if (parameters.max_interval > 0) names.emplace_back("halve");
  for (const std::string& name : names) kernels[name] = session.kernel(sources, name, options);
}

// Returns how many of the first tasks go in one batch: at least one, whether it fits or not.
std::size_t Surf::Rep::count_fitting(std::span<const Task> tasks) const {
  Batch batch;
  std::size_t count = 0;
  for (; count < std::min(tasks.size(), kMaxBatchImages); ++count) {
    batch.add(tasks[count]);
    if (count > 0 && batch.bytes() > batch_bytes) break;
  }
  return count;
}

FoundFeatures Surf::Rep::find_batch(const DeviceImages& images, std::span<const Task> tasks) {
  Batch batch;
  for (const Task& task : tasks) batch.add(task);
  const bool tones = std::ranges::any_of(
      tasks, [&](const Task& task) { return task.place.level < parameters.brighten_to; });
  if (tones) batch.tone(tasks, parameters.brighten_to);
  reserve(batch);
  if (tones) tone(images, batch);
  integrate(tones ? buffers.toned.buffer : images.pixels(), batch);
  halve(batch);
  launch("hessian", {batch.largest(&BatchImage::sample_rows) * group_items, tasks.size()},
         {group_items, 1}, buffers.images.buffer, buffers.layers.buffer, buffers.integral.buffer,
         buffers.maps.buffer);
  const std::vector<std::int32_t> counts = search(images, batch);

  FoundFeatures found;
  found.first = {0};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto count = static_cast<std::size_t>(counts[i]);
    const std::size_t limit = parameters.max_features > 0 ? parameters.max_features : count;
    found.images.push_back(tasks[i].image);
    found.first.push_back(found.first.back() + static_cast<std::int32_t>(std::min(count, limit)));
  }
  const auto chosen = static_cast<std::size_t>(found.first.back());
  buffers.chosen.reserve(session, chosen * sizeof(FoundKeypoint));
  buffers.descriptors.reserve(session, chosen * parameters.descriptor_size * sizeof(float));
  found.descriptors = buffers.descriptors.buffer;
  if (chosen == 0) return found;

  buffers.first_chosen.fill<std::int32_t>(session, found.first);
  const auto most_found = static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
  const std::size_t groups = parts(most_found, is_cpu ? kRankedByItem : kSurfGroupItems);
  launch("rank", {groups * group_items, tasks.size()}, {group_items, 1}, buffers.images.buffer,
         buffers.counts.buffer, buffers.first_chosen.buffer, buffers.found.buffer,
         buffers.responses.buffer, buffers.chosen.buffer);
  describe(chosen);
  found.keypoints.reserve(chosen);
  session.view<FoundKeypoint>(buffers.chosen.buffer, chosen, [&](auto places) {
    for (const FoundKeypoint& place : places) found.keypoints.push_back(place.keypoint);
  });
  return found;
}

void Surf::Rep::reserve(const Batch& batch) {
  buffers.quads.reserve(session, batch.pixels * sizeof(std::uint32_t));
  buffers.integral.reserve(session, batch.integral_values * sizeof(std::int32_t));
  buffers.maps.reserve(session, batch.map_values * sizeof(float));
  buffers.counts.reserve(session, batch.images.size() * sizeof(std::int32_t));
  buffers.layers.fill<SurfLayer>(session, batch.layers);
  upload_images(batch);
}

void Surf::Rep::upload_images(const Batch& batch) {
  buffers.images.fill<BatchImage>(session, batch.images);
  buffers.found.reserve(session, batch.places * sizeof(FoundKeypoint));
  buffers.responses.reserve(session, batch.places * sizeof(float));
}

void Surf::Rep::tone(const DeviceImages& source, const Batch& batch) {
  buffers.toned.reserve(session, batch.pixels);
  launch("tone", {batch.largest(&BatchImage::height) * group_items, batch.images.size()},
         {group_items, 1}, buffers.images.buffer, source.pixels(), curves, buffers.toned.buffer);
}

// Turns pixels into integral images and quads.
void Surf::Rep::integrate(const cl::Buffer& pixels, const Batch& batch) {
  const std::size_t images = batch.images.size();
  const std::size_t columns = batch.largest(&BatchImage::width);
  const std::size_t rows = batch.largest(&BatchImage::height);
  if (is_cpu) {
    launch("scan_rows", {rows + 1, images}, {1, 1}, buffers.images.buffer, pixels,
           buffers.integral.buffer, buffers.quads.buffer);
    launch("scan_columns", {columns / kStripColumns + 1, images}, {1, 1}, buffers.images.buffer,
           buffers.integral.buffer);
    return;
  }
  const std::size_t bands = parts(rows, kSurfBandRows);
  launch("sum_bands", {columns, bands, images}, {kSurfGroupItems, 1, 1}, buffers.images.buffer,
         pixels, buffers.integral.buffer, buffers.quads.buffer);
  launch("start_bands", {columns + 1, images}, {kSurfGroupItems, 1}, buffers.images.buffer,
         buffers.integral.buffer);
  launch("scan_bands", {bands * kScanItems, images}, {kScanItems, 1}, buffers.images.buffer, pixels,
         buffers.integral.buffer);
}

// Makes the quads of the halved images.
void Surf::Rep::halve(const Batch& batch) {
  const auto most = static_cast<int>(batch.largest(&BatchImage::halvings));
  for (int halvings = 1; halvings <= most; ++halvings) {
    const std::size_t rows = batch.largest(&BatchImage::height) >> halvings;
    launch("halve", {rows * group_items, batch.images.size()}, {group_items, 1},
           buffers.images.buffer, halvings, buffers.quads.buffer);
  }
}

// Finds all keypoints, in no order, and returns how many each image has.
std::vector<std::int32_t> Surf::Rep::search(const DeviceImages& source, Batch& batch) {
  std::vector<std::int32_t> counts(batch.images.size());
  while (true) {
    session.clear(buffers.counts.buffer, counts.size() * sizeof(std::int32_t));
    launch("search", {batch.largest(&BatchImage::search_rows) * group_items, counts.size()},
           {group_items, 1}, buffers.images.buffer, buffers.layers.buffer, buffers.integral.buffer,
           buffers.maps.buffer, source.masks(), samples, parameters.hessian_threshold,
           buffers.counts.buffer, buffers.found.buffer, buffers.responses.buffer);
    session.read<std::int32_t>(buffers.counts.buffer, counts);
    if (batch.holds(counts)) return counts;
    batch.grow_places(counts);
    upload_images(batch);
  }
}

// Computes the angles and the descriptors of the chosen keypoints.
void Surf::Rep::describe(std::size_t chosen) {
  if (!parameters.upright) {
    launch("orientation", {chosen * group_items, 1}, {group_items, 1}, buffers.images.buffer,
           buffers.integral.buffer, samples, buffers.chosen.buffer);
  }
  const std::size_t items = is_cpu ? 1 : kTeams * kMembers;
  launch("descriptor", {chosen * items, 1}, {items, 1}, buffers.images.buffer, buffers.quads.buffer,
         buffers.chosen.buffer, buffers.descriptors.buffer);
  if (!parameters.signed_roots) return;
  launch("signed_roots", {chosen, 1}, {kRootItems, 1}, static_cast<cl_uint>(chosen),
         buffers.descriptors.buffer);
}

void Surf::build_description() {
  constexpr int kSide = 64;
  constexpr float kCentre = 0.5F * kSide;
  Batch batch;
  batch.add({.place = {.width = kSide, .height = kSide},
             .plan = plan_surf(kSide, kSide, rep_->parameters)});
  rep_->reserve(batch);
  OpenClSession& session = rep_->session;
  auto& buffers = rep_->buffers;
  for (const GrowingBuffer* of_image : {&buffers.integral, &buffers.quads}) {
    session.clear(of_image->buffer, of_image->bytes);
  }
  const FoundKeypoint middle = {.keypoint = {.x = kCentre, .y = kCentre, .size = kSurfFirstSide}};
  buffers.chosen.fill<FoundKeypoint>(session, {&middle, 1});
  buffers.descriptors.reserve(session, rep_->parameters.descriptor_size * sizeof(float));
  rep_->describe(1);
  session.finish();
}

Surf::Surf(OpenClSession& session, const SurfParameters& parameters, SurfKernel kernel)
    : rep_(std::make_unique<Rep>(session, parameters, kernel)) {}

Surf::~Surf() = default;

void Surf::find(const DeviceImages& images, const std::function<void(FoundFeatures)>& visit) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const DeviceImages::Place& place = images.places()[i];
    SurfPlan plan = plan_surf(place.width, place.height, rep_->parameters);
    if (plan.search_rows > 0) tasks.push_back({i, place, std::move(plan)});
  }
  std::span<const Task> left = tasks;
  while (!left.empty()) {
    const std::size_t fitting = rep_->count_fitting(left);
    for_each_batch(fitting, fitting, [&](std::size_t first, std::size_t count) {
      try {
        visit(rep_->find_batch(images, left.subspan(first, count)));
      } catch (const DeviceOutOfMemory&) {
        rep_->buffers = {};  // makes room for a smaller batch
        throw;
      }
    });
    left = left.subspan(fitting);
  }
}

std::vector<FeatureSet> Surf::extract(std::span<const ImageView> images,
                                      std::span<const ImageView> masks) {
  require(masks.empty() || masks.size() == images.size(),
          "Surf: images and masks differ in number");
  const std::size_t length = rep_->parameters.descriptor_size;
  std::vector<FeatureSet> features(images.size());
  for (FeatureSet& each : features) each.descriptor_size = length;
  for_each_batch(images.size(), images.size(), [&](std::size_t first_image, std::size_t count) {
    rep_->uploaded.upload(images.subspan(first_image, count),
                          masks.empty() ? masks : masks.subspan(first_image, count));
    find(rep_->uploaded, [&](const FoundFeatures& found) {
      const std::size_t values = found.keypoints.size() * length;
      rep_->session.view<float>(found.descriptors, values, [&](std::span<const float> descriptors) {
        for (std::size_t i = 0; i < found.images.size(); ++i) {
          FeatureSet& to = features[first_image + found.images[i]];
          const auto [first, size] = found.range(i);
          to.keypoints.assign(found.keypoints.data() + first,
                              found.keypoints.data() + first + size);
          to.descriptors.assign(descriptors.data() + first * length,
                                descriptors.data() + (first + size) * length);
        }
      });
    });
  });
  return features;
}

}  // namespace lookalike
