#include "kernels/variance/variance.h"

#include <array>
#include <string>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Pixels of a block, one load in the kernel.
constexpr std::size_t kBlockPixels = DeviceImages::kAlignment;
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

}  // namespace

// Where images stand on the device, and which chunk belongs to which.
struct ImageVariance::Plan {
  // The image begins at byte `first` of its buffer.
  void add(std::size_t first, std::size_t size) {
    const std::size_t first_chunk = image_of_chunk.size();
    image_of_chunk.resize(first_chunk + parts(size, kChunkPixels), to_uint(places.size()));
    places.push_back({first, size, first_chunk, image_of_chunk.size()});
  }

  std::vector<ImagePlace> places;
  std::vector<cl_uint> image_of_chunk;
};

// Chunks of one launch and the buffer that holds their images.
struct ImageVariance::ChunkRun {
  cl::Buffer pixels;
  std::size_t first_chunk;
  std::size_t chunks;
};

std::vector<PixelSums> ImageVariance::compute(std::span<const ImageView> images) {
  std::vector<PixelSums> results(images.size());
  for_each_batch(images.size(), batch_size(images), [&](std::size_t first, std::size_t count) {
    compute_batch(images.subspan(first, count), std::span(results).subspan(first, count));
  });
  return results;
}

std::vector<PixelSums> ImageVariance::compute(const DeviceImages& images) {
  std::vector<PixelSums> results(images.size());
  add_up(images, results);
  return results;
}

void ImageVariance::add_up(const DeviceImages& images, std::span<PixelSums> results) {
  Plan plan;
  for (const DeviceImages::Place& place : images.places()) plan.add(place.pixels, place.size());
  const ChunkRun whole{images.pixels(), 0, plan.image_of_chunk.size()};
  add_up(plan, {&whole, 1}, results);
}

// On a CPU one launch for each image, in place; elsewhere one for all, copied to the device.
void ImageVariance::compute_batch(std::span<const ImageView> images, std::span<PixelSums> results) {
  if (!session_.is_cpu()) {
    DeviceImages uploaded(session_);
    uploaded.upload(images);
    return add_up(uploaded, results);
  }
  Plan plan;
  std::vector<ChunkRun> runs;
  for (const ImageView& image : images) {
    plan.add(0, image.size());
    const auto& [byte, size, first_chunk, end_chunk] = plan.places.back();
    if (size == 0) continue;
    runs.push_back({host_buffer(session_, image), first_chunk, end_chunk - first_chunk});
  }
  add_up(plan, runs, results);
}

void ImageVariance::add_up(const Plan& plan, std::span<const ChunkRun> runs,
                           std::span<PixelSums> results) {
  const std::size_t group_items = session_.is_cpu() ? 1 : kGpuItems;
  cl::Kernel add_chunks =
      session_.kernel({"session/add_ulong.cl", "variance/variance.cl"}, "add_chunks",
                      define("CHUNK_BLOCKS", kChunkBlocks) + define("GROUP_ITEMS", group_items) +
                          (session_.has_int64_atomics() ? " -DINT64_ATOMICS" : ""));
  std::vector<std::array<cl_ulong, 2>> totals(results.size());
  work_.places.fill<ImagePlace>(session_, plan.places);
  work_.image_of_chunk.fill<cl_uint>(session_, plan.image_of_chunk);
  work_.totals.fill<std::array<cl_ulong, 2>>(session_, totals);
  for (const ChunkRun& run : runs) {
    set_arguments(add_chunks, run.pixels, work_.places.buffer, work_.image_of_chunk.buffer,
                  to_uint(run.first_chunk), work_.totals.buffer);
    session_.launch(add_chunks, "variance", {run.chunks * group_items}, {{group_items}});
  }
  session_.read(work_.totals.buffer, std::span(totals));
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = {plan.places[i][1], totals[i][0], totals[i][1]};
  }
}

}  // namespace lookalike
