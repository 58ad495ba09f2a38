#include "kernels/surf/surf_program.h"

#include <algorithm>
#include <string>

#include "kernels/session/build_options.h"
#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<SurfKernel, 3> kNames = {{
    {SurfKernel::kAuto, "auto"},
    {SurfKernel::kCpu, "cpu"},
    {SurfKernel::kGpu, "gpu"},
}};

// kCpu.
constexpr std::size_t kStripColumns = 64;  // of the integral image, per item
constexpr int kRankedByItem = 64;          // keypoints
constexpr int kLanes = 16;                 // columns are sampled in multiples of this

// kGpu.
constexpr std::size_t kGroupItems = 64;
constexpr std::size_t kBandRows = 16;    // of the integral image, scanned side by side
constexpr std::size_t kScanItems = 256;  // columns of a band that are scanned together
constexpr std::size_t kTeams = 7;        // of a descriptor's group: 3 of 21 patch rows each
constexpr std::size_t kMembers = 32;
// 16 columns and 2 rows at a time, twice: the fastest of 8 shapes on an H200 (surf_benchmark of commit 2d0115e).
constexpr int kMemberColumns = 16;
constexpr int kColumnsEach = 2;

constexpr int kChunkColumns = 64;  // of a window, averaged together

std::string literals(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) {
    if (!text.empty()) text += ',';
    text += literal(value);
  }
  return text;
}

std::string common_options(const SurfParameters& parameters, std::size_t sample_count) {
  return define("CROSS_SHARE", kCrossShare) + define("SIDE_STEP", kSurfSideStep) +
         define("SAMPLES", sample_count) + define("WINDOWS", 360 / kOrientationStepDegrees) +
         define("STEP", kOrientationStepDegrees) +
         define("REACH", kOrientationHalfWindowDegrees / kOrientationStepDegrees) +
         define("UNITS", kOrientationUnits) + define("UPRIGHT", parameters.upright ? 1 : 0) +
         define("UPRIGHT_ANGLE", kUprightAngleDegrees) + define("PATCH", kPatchSide) +
         define("CHUNK", kChunkColumns) + define("DESCRIPTOR_SIZE", parameters.descriptor_size) +
         define("NORM_EPSILON", kNormEpsilon) +
         define("DESCRIPTOR_GAUSSIAN", literals(gaussian(kPatchSide - 1, kDescriptorSigma)));
}

std::string form_options(SurfKernel kernel) {
  if (kernel == SurfKernel::kCpu) {
    return define("LOCAL_SIZE", 1) + define("STRIP", kStripColumns) +
           define("RANKED", kRankedByItem) + define("LANES", kLanes);
  }
  return define("LOCAL_SIZE", kGroupItems) + define("RANKED", kGroupItems) + define("LANES", 0) +
         define("BAND_ROWS", kBandRows) + define("SCAN_ITEMS", kScanItems) +
         define("TEAMS", kTeams) + define("MEMBERS", kMembers) +
         define("MEMBER_COLUMNS", kMemberColumns) + define("COLUMNS_EACH", kColumnsEach);
}

std::vector<std::string> sources(SurfKernel kernel) {
  const bool cpu = kernel == SurfKernel::kCpu;
  return {"surf/common.cl",
          cpu ? "surf/integral.cl" : "surf/integral_groups.cl",
          "surf/hessian.cl",
          "surf/maxima.cl",
          "surf/search.cl",
          "surf/orientation.cl",
          "surf/window.cl",
          "surf/gradients.cl",
          cpu ? "surf/descriptor.cl" : "surf/descriptor_groups.cl"};
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

// Of the sizes that were measured, those of a photo as extraction reduces it decide: an object
// takes images of every size.
SurfKernel resolve(SurfKernel kernel, OpenClSession& session) {
  const std::vector<SurfKernel> able = surf_kernels(session);
  if (kernel == SurfKernel::kAuto) {
    return choose_variant(session.tuning(), "surf",
                          {{"images", 4}, {"width", 1024}, {"height", 768}}, able);
  }
  if (std::find(able.begin(), able.end(), kernel) != able.end()) return kernel;
  throw Error(ErrorKind::kDevice, "Surf: " + session.device().name +
                                      " cannot run the kernel named " +
                                      std::string(to_string(kernel)));
}

}  // namespace

std::string_view to_string(SurfKernel kernel) {
  return name_of(kNames, kernel);
}

SurfKernel parse_surf_kernel(std::string_view name) {
  return variant_of(kNames, "SURF kernel", name);
}

std::vector<SurfKernel> surf_kernels(const OpenClSession& session) {
  if (session.device().max_work_group_size < kScanItems) return {SurfKernel::kCpu};
  if (session.is_cpu()) return {SurfKernel::kCpu, SurfKernel::kGpu};
  return {SurfKernel::kGpu, SurfKernel::kCpu};
}

SurfProgram::SurfProgram(OpenClSession& session, const SurfParameters& parameters,
                         SurfKernel kernel)
    : session_(session), parameters_(parameters), kernel_(resolve(kernel, session)) {
  const std::vector<OrientationSample> samples = orientation_samples();
  const std::string options = form_options(kernel_) + common_options(parameters, samples.size());
  const auto compiled = [&](const char* name) {
    return session.kernel(sources(kernel_), name, options);
  };
  if (kernel_ == SurfKernel::kCpu) {
    scan_rows_ = compiled("scan_rows");
    scan_columns_ = compiled("scan_columns");
  } else {
    sum_bands_ = compiled("sum_bands");
    start_bands_ = compiled("start_bands");
    scan_bands_ = compiled("scan_bands");
  }
  hessian_ = compiled("hessian");
  search_ = compiled("search");
  rank_ = compiled("rank");
  orientation_ = compiled("orientation");
  descriptor_ = compiled("descriptor");
  orientation_samples_ = session.upload<float>(flatten(samples));
}

void SurfProgram::launch(cl::Kernel& kernel, const char* label, std::size_t groups,
                         std::size_t images) {
  const std::size_t items = kernel_ == SurfKernel::kCpu ? 1 : kGroupItems;
  session_.launch(kernel, label, {groups * items, images}, cl::NDRange{items, 1});
}

void SurfProgram::integrate(const SurfBatch& batch, const SurfBuffers& buffers) {
  if (kernel_ == SurfKernel::kGpu) return integrate_by_bands(batch, buffers);
  const std::size_t images = batch.images.size();
  set_arguments(scan_rows_, buffers.images.buffer, buffers.pixels.buffer, buffers.integral.buffer,
                buffers.quads.buffer);
  launch(scan_rows_, "surf scan_rows", batch.size.most_rows + 1, images);
  set_arguments(scan_columns_, buffers.images.buffer, buffers.integral.buffer);
  launch(scan_columns_, "surf scan_columns", batch.size.most_columns / kStripColumns + 1, images);
}

void SurfProgram::integrate_by_bands(const SurfBatch& batch, const SurfBuffers& buffers) {
  const std::size_t images = batch.images.size();
  const std::size_t bands = parts(batch.size.most_rows, kBandRows);
  const std::size_t columns = batch.size.most_columns;
  set_arguments(sum_bands_, buffers.images.buffer, buffers.pixels.buffer, buffers.integral.buffer,
                buffers.quads.buffer);
  session_.launch(sum_bands_, "surf sum_bands", {columns, bands, images},
                  cl::NDRange{kGroupItems, 1, 1});
  set_arguments(start_bands_, buffers.images.buffer, buffers.integral.buffer);
  session_.launch(start_bands_, "surf start_bands", {columns + 1, images},
                  cl::NDRange{kGroupItems, 1});
  set_arguments(scan_bands_, buffers.images.buffer, buffers.pixels.buffer, buffers.integral.buffer);
  session_.launch(scan_bands_, "surf scan_bands", {bands * kScanItems, images},
                  cl::NDRange{kScanItems, 1});
}

void SurfProgram::filter(const SurfBatch& batch, const SurfBuffers& buffers) {
  set_arguments(hessian_, buffers.images.buffer, buffers.layers.buffer, buffers.integral.buffer,
                buffers.maps.buffer);
  launch(hessian_, "surf hessian", batch.size.most_sample_rows, batch.images.size());
}

void SurfProgram::search(const SurfBatch& batch, const SurfBuffers& buffers) {
  session_.clear(buffers.counts.buffer, batch.images.size() * sizeof(std::int32_t));
  set_arguments(search_, buffers.images.buffer, buffers.layers.buffer, buffers.integral.buffer,
                buffers.maps.buffer, buffers.masks.buffer, orientation_samples_,
                parameters_.hessian_threshold, buffers.counts.buffer, buffers.found.buffer,
                buffers.responses.buffer);
  launch(search_, "surf search", batch.size.most_search_rows, batch.images.size());
}

void SurfProgram::rank(const SurfBatch& batch, std::size_t most_found, const SurfBuffers& buffers) {
  const std::size_t ranked = kernel_ == SurfKernel::kCpu ? kRankedByItem : kGroupItems;
  set_arguments(rank_, buffers.images.buffer, buffers.counts.buffer, buffers.first_chosen.buffer,
                buffers.found.buffer, buffers.responses.buffer, buffers.chosen.buffer);
  launch(rank_, "surf rank", parts(most_found, ranked), batch.images.size());
}

void SurfProgram::describe(std::size_t chosen, const SurfBuffers& buffers) {
  if (!parameters_.upright) {
    set_arguments(orientation_, buffers.images.buffer, buffers.integral.buffer,
                  orientation_samples_, buffers.chosen.buffer);
    launch(orientation_, "surf orientation", chosen, 1);
  }
  const std::size_t items = kernel_ == SurfKernel::kCpu ? 1 : kTeams * kMembers;
  set_arguments(descriptor_, buffers.images.buffer, buffers.quads.buffer, buffers.chosen.buffer,
                buffers.descriptors.buffer);
  session_.launch(descriptor_, "surf descriptor", {chosen * items}, cl::NDRange{items});
}

}  // namespace lookalike
