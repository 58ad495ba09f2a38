#include "kernels/variance/variance.h"

#include <algorithm>
#include <array>
#include <string>

namespace lookalike {
namespace {

// Pixels of a block, one load in the kernel; images start at multiples of it on the device.
constexpr std::size_t kBlockPixels = 16;
// Blocks of a chunk, 64 KiB: 16 for each of a GPU's work-items, and few enough atomics.
constexpr std::size_t kChunkBlocks = 4096;
constexpr std::size_t kChunkPixels = kChunkBlocks * kBlockPixels;
// Work-items that share a chunk on a GPU. A CPU's takes the chunk alone, in vectors.
constexpr std::size_t kGpuItems = 256;
// Work-items of a work-group that adds partial sums.
constexpr std::size_t kPartialItems = 64;
// Pixels that are on the device at once.
constexpr std::size_t kBatchPixels = std::size_t{256} << 20U;

// First byte, pixels, first chunk and end of its chunks of an image on the device.
using ImagePlace = std::array<cl_ulong, 4>;

// Where images stand on the device, and which chunk belongs to which.
struct Plan {
  std::vector<ImagePlace> places;
  std::vector<cl_uint> image_of_chunk;
  std::size_t bytes = 0;
};

Plan plan_chunks(std::span<const ImageView> images) {
  Plan plan;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::size_t size = images[i].size();
    const std::size_t first_chunk = plan.image_of_chunk.size();
    const std::size_t end_chunk = first_chunk + round_up(size, kChunkPixels) / kChunkPixels;
    plan.image_of_chunk.resize(end_chunk, static_cast<cl_uint>(i));
    plan.places.push_back({plan.bytes, size, first_chunk, end_chunk});
    plan.bytes += round_up(size, kBlockPixels);
  }
  return plan;
}

// Images per batch, so that an average batch holds kBatchPixels.
std::size_t batch_size(std::span<const ImageView> images) {
  std::size_t pixels = 0;
  for (const ImageView& image : images) pixels += image.size();
  return pixels <= kBatchPixels ? images.size() : images.size() * kBatchPixels / pixels;
}

Reduction resolve(Reduction reduction, OpenClSession& session) {
  if (reduction == Reduction::kTwoStage) return reduction;
  if (session.has_int64_atomics()) return Reduction::kAtomic;
  if (reduction == Reduction::kAuto) return Reduction::kTwoStage;
  throw Error(ErrorKind::kDevice, "variance: no 64-bit atomics on " + session.device().name);
}

}  // namespace

std::string_view to_string(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAtomic:
      return "atomic";
    case Reduction::kTwoStage:
      return "two-stage";
    case Reduction::kAuto:
      break;
  }
  return "auto";
}

ImageVariance::ImageVariance(OpenClSession& session, Reduction reduction)
    : session_(session),
      reduction_(resolve(reduction, session)),
      group_items_(session.is_cpu() ? 1 : kGpuItems) {}

std::vector<PixelSums> ImageVariance::compute(std::span<const ImageView> images) {
  std::vector<PixelSums> results(images.size());
  for_each_batch(images.size(), batch_size(images), [&](std::size_t first, std::size_t count) {
    compute_batch(images.subspan(first, count), std::span(results).subspan(first, count));
  });
  return results;
}

void ImageVariance::compute_batch(std::span<const ImageView> images, std::span<PixelSums> results) {
  const Plan plan = plan_chunks(images);
  const bool atomic = reduction_ == Reduction::kAtomic;
  const std::size_t chunks = plan.image_of_chunk.size();
  const std::string options = "-DCHUNK_BLOCKS=" + std::to_string(kChunkBlocks) +
                              " -DGROUP_ITEMS=" + std::to_string(group_items_) +
                              (atomic ? " -DATOMIC" : "");
  const cl::Buffer pixels = session_.allocate(plan.bytes);
  for (std::size_t i = 0; i < images.size(); ++i) {
    session_.write(pixels, std::span(images[i].pixels, images[i].size()), plan.places[i][0]);
  }
  const cl::Buffer places = session_.upload<ImagePlace>(plan.places);
  const cl::Buffer image_of_chunk = session_.upload<cl_uint>(plan.image_of_chunk);
  std::vector<std::array<cl_ulong, 2>> totals(images.size());
  const cl::Buffer total_buffer = session_.upload<std::array<cl_ulong, 2>>(totals);
  const cl::Buffer partials =
      atomic ? total_buffer : session_.allocate(chunks * sizeof(totals.front()));

  cl::Kernel add_chunks = session_.kernel({"variance/variance.cl"}, "add_chunks", options);
  set_arguments(add_chunks, pixels, places, image_of_chunk, partials);
  session_.launch(add_chunks, "variance", {chunks * group_items_}, {{group_items_}});
  if (!atomic) {
    cl::Kernel add_partials = session_.kernel({"variance/variance.cl"}, "add_partials", options);
    set_arguments(add_partials, partials, places, static_cast<cl_uint>(images.size()),
                  total_buffer);
    session_.launch(add_partials, "variance_partials", {images.size()}, {{kPartialItems}});
  }
  session_.read(total_buffer, std::span(totals));
  for (std::size_t i = 0; i < images.size(); ++i) {
    results[i] = {images[i].size(), totals[i][0], totals[i][1]};
  }
}

}  // namespace lookalike
