#include "kernels/variance/variance.h"

#include <array>
#include <string>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Pixels of a block, one load in the kernel; images start at multiples of it on the device.
constexpr std::size_t kBlockPixels = 16;
// Blocks of a chunk, 64 KiB: 16 for each of a GPU's work-items, and few enough atomics. From 32 to
// 256 KiB are within 2 % of each other, at 98 % of what reading alone does (H200).
constexpr std::size_t kChunkBlocks = 4096;
constexpr std::size_t kChunkPixels = kChunkBlocks * kBlockPixels;
// Work-items that share a chunk on a GPU. A CPU's takes the chunk alone, in vectors.
constexpr std::size_t kGpuItems = 256;
// Pixels that are on the device at once: a launch costs as much as reading 40 MB (H200).
constexpr std::size_t kBatchPixels = std::size_t{512} << 20U;

// First byte, pixels, first chunk and end of its chunks of an image on the device.
using ImagePlace = std::array<cl_ulong, 4>;

// Where images stand on the device, and which chunk belongs to which.
struct Plan {
  std::vector<ImagePlace> places;
  std::vector<cl_uint> image_of_chunk;
  std::size_t bytes = 0;
};

// `together`: the images share one buffer; else each has its own.
Plan plan_chunks(std::span<const ImageView> images, bool together) {
  Plan plan;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::size_t size = images[i].size();
    const std::size_t first_chunk = plan.image_of_chunk.size();
    const std::size_t end_chunk = first_chunk + parts(size, kChunkPixels);
    plan.image_of_chunk.resize(end_chunk, to_uint(i));
    plan.places.push_back({plan.bytes, size, first_chunk, end_chunk});
    if (together) plan.bytes += round_up(size, kBlockPixels);
  }
  return plan;
}

std::size_t total_pixels(std::span<const ImageView> images) {
  std::size_t pixels = 0;
  for (const ImageView& image : images) pixels += image.size();
  return pixels;
}

// Images per batch, so that an average batch holds kBatchPixels.
std::size_t batch_size(std::span<const ImageView> images) {
  const std::size_t pixels = total_pixels(images);
  return pixels <= kBatchPixels ? images.size() : images.size() * kBatchPixels / pixels;
}

// The image where it is, for a CPU device, which need not copy it: copying took three times as long
// as the sums (a two-core EPYC, PoCL 3.1). The kernel only reads it.
cl::Buffer host_buffer(OpenClSession& session, const ImageView& image) {
  try {
    return {session.context(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, image.size(),
            const_cast<std::uint8_t*>(image.pixels)};
  } catch (const cl::Error& error) {
    throw Error(ErrorKind::kDevice, "variance: OpenCL error " + std::to_string(error.err()) +
                                        " for an image of " + std::to_string(image.size()) +
                                        " pixels in place");
  }
}

// Chunks of one launch and the buffer that holds their images.
struct ChunkRun {
  cl::Buffer pixels;
  std::size_t first_chunk;
  std::size_t chunks;
};

// On a CPU one launch for each image, in place; elsewhere one for all, copied to the device.
std::vector<ChunkRun> chunk_runs(OpenClSession& session, std::span<const ImageView> images,
                                 const Plan& plan) {
  std::vector<ChunkRun> runs;
  if (session.is_cpu()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto& [byte, size, first_chunk, end_chunk] = plan.places[i];
      if (size == 0) continue;
      runs.push_back({host_buffer(session, images[i]), first_chunk, end_chunk - first_chunk});
    }
    return runs;
  }
  runs.push_back({session.allocate(plan.bytes), 0, plan.image_of_chunk.size()});
  for (std::size_t i = 0; i < images.size(); ++i) {
    session.write(runs.front().pixels, std::span(images[i].pixels, images[i].size()),
                  plan.places[i][0]);
  }
  return runs;
}

}  // namespace

std::vector<PixelSums> ImageVariance::compute(std::span<const ImageView> images) {
  std::vector<PixelSums> results(images.size());
  for_each_batch(images.size(), batch_size(images), [&](std::size_t first, std::size_t count) {
    compute_batch(images.subspan(first, count), std::span(results).subspan(first, count));
  });
  return results;
}

void ImageVariance::compute_batch(std::span<const ImageView> images, std::span<PixelSums> results) {
  const Plan plan = plan_chunks(images, !session_.is_cpu());
  const std::size_t group_items = session_.is_cpu() ? 1 : kGpuItems;
  cl::Kernel add_chunks =
      session_.kernel({"variance/variance.cl"}, "add_chunks",
                      define("CHUNK_BLOCKS", kChunkBlocks) + define("GROUP_ITEMS", group_items) +
                          (session_.has_int64_atomics() ? " -DINT64_ATOMICS" : ""));
  const cl::Buffer places = session_.upload<ImagePlace>(plan.places);
  const cl::Buffer image_of_chunk = session_.upload<cl_uint>(plan.image_of_chunk);
  std::vector<std::array<cl_ulong, 2>> totals(images.size());
  const cl::Buffer total_buffer = session_.upload<std::array<cl_ulong, 2>>(totals);
  const std::vector<ChunkRun> runs = chunk_runs(session_, images, plan);
  for (const ChunkRun& run : runs) {
    set_arguments(add_chunks, run.pixels, places, image_of_chunk, to_uint(run.first_chunk),
                  total_buffer);
    session_.launch(add_chunks, "variance", {run.chunks * group_items}, {{group_items}});
  }
  session_.read(total_buffer, std::span(totals));
  for (std::size_t i = 0; i < images.size(); ++i) {
    results[i] = {images[i].size(), totals[i][0], totals[i][1]};
  }
}

}  // namespace lookalike
