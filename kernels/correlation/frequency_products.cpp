// Products by Fourier transforms: see frequency.cl.
//
// Exact: the sums are integers, and the transforms' rounding errors stay far below the 1/2 up to
// which the nearest integer is the right one. Pixels and patterns are within [-128, 128], so a
// block has length L <= 128 * 2048 and a pair of patterns M <= sqrt(2) * 128 * 1024; a pair of
// blocks has the same bound. Three transforms of 2^22 numbers are off by at most 3 * 22 * 8 u L M <
// 0.01 in all, u = 2^-53 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed.,
// theorem 24.2, with twiddle factors good to u).
#include "kernels/correlation/window_products.h"

#ifdef LOOKALIKE_VKFFT

#include <algorithm>
#include <cmath>
#include <map>

#define VKFFT_BACKEND 3  // OpenCL
#include <vkFFT.h>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr int kSmallestSide = 256;
constexpr int kLargestSide = 2048;
constexpr std::size_t kPixelBytes = 2 * sizeof(cl_double);

// Blocks transformed together: on a CPU as many as its caches hold; on a GPU the fastest of 8, 16,
// 32, 64 and 128 MiB for 64^2, 128^2 and 512^2 in 1920x1080, or nearly so (NVIDIA H200,
// kernels_benchmark --kernel correlation).
constexpr std::size_t kCpuBlockBytes = std::size_t{4} << 20;
constexpr std::size_t kGpuBlockBytes = std::size_t{32} << 20;

// Transforms of patterns that stay on the device while the blocks of an image go by.
constexpr std::size_t kPatternBytes = std::size_t{256} << 20;

// As in frequency.cl, which describes the fields.
struct Cut {
  cl_int side = 0;
  cl_int first_block = 0;
  cl_int blocks_x = 0;
  cl_int hop_x = 0;
  cl_int hop_y = 0;
  cl_int piece_x = 0;
  cl_int piece_y = 0;
  cl_int piece_width = 0;
  cl_int piece_height = 0;
  cl_int paired = 0;
};
static_assert(sizeof(Cut) == 10 * sizeof(cl_int));

bool same_sizes(const CorrelationJob& a, const CorrelationJob& b) {
  return a.image == b.image && a.image_width == b.image_width && a.image_height == b.image_height &&
         a.pattern_width == b.pattern_width && a.pattern_height == b.pattern_height &&
         a.pattern_pitch == b.pattern_pitch && a.pitch == b.pitch;
}

// Fourier transforms, in place, of `count` square blocks [side][side] of complex doubles on the
// device, side a power of two up to 2048. VkFFT generates the kernels; where it cannot, members
// throw Error(kDevice).
class BlockTransform {
 public:
  BlockTransform(OpenClSession& session, int side, std::size_t count)
      : session_(session),
        context_(session.context()()),
        device_(session.context().getInfo<CL_CONTEXT_DEVICES>().front()()),
        bytes_(to_size(side) * to_size(side) * count * kPixelBytes) {
    VkFFTConfiguration wanted = {};
    wanted.FFTdim = 2;
    wanted.size[0] = to_size(side);
    wanted.size[1] = to_size(side);
    wanted.numberBatches = count;
    wanted.doublePrecision = 1;
    wanted.useLUT = 1;  // sines and cosines from the host, correctly rounded or nearly so
    wanted.context = &context_;
    wanted.device = &device_;
    wanted.bufferSize = &bytes_;
    check(initializeVkFFT(&application_, wanted), "plan of side " + std::to_string(side));
  }
  BlockTransform(const BlockTransform&) = delete;
  BlockTransform& operator=(const BlockTransform&) = delete;
  ~BlockTransform() { deleteVkFFT(&application_); }

  // Queue the transforms; the inverse is not divided by side^2.
  void forward(const cl::Buffer& blocks) { run(blocks, -1); }
  void inverse(const cl::Buffer& blocks) { run(blocks, 1); }

 private:
  static void check(VkFFTResult result, const std::string& where) {
    if (result == VKFFT_SUCCESS) return;
    throw Error(ErrorKind::kDevice, "Fourier transform: " + where + " failed with VkFFT error " +
                                        std::to_string(result));
  }

  void run(const cl::Buffer& blocks, int direction) {
    session_.launch_foreign("correlation fourier", [&](cl_command_queue queue) {
      cl_mem memory = blocks();
      VkFFTLaunchParams parameters = {};
      parameters.buffer = &memory;
      parameters.commandQueue = &queue;
      check(VkFFTAppend(&application_, direction, &parameters), "launch");
    });
  }

  OpenClSession& session_;
  // VkFFT stores pointers to these.
  cl_context context_;
  cl_device_id device_;
  std::uint64_t bytes_;
  VkFFTApplication application_ = {};
};

// Device memory and transform for blocks of one side.
struct BlockPlan {
  BlockPlan(OpenClSession& session, int block_side, std::size_t bytes)
      : side(block_side),
        block_bytes(to_size(side) * to_size(side) * kPixelBytes),
        count(std::max<std::size_t>(1, bytes / block_bytes)),
        transform(session, side, count),
        image(session.allocate(all_bytes())),
        products(session.allocate(all_bytes())) {}

  std::size_t all_bytes() const { return block_bytes * count; }
  std::size_t max_patterns() const { return 2 * std::max(count, kPatternBytes / block_bytes); }

  int side;
  std::size_t block_bytes;
  std::size_t count;  // blocks transformed together
  BlockTransform transform;
  cl::Buffer image;
  cl::Buffer products;
  std::vector<cl::Buffer> patterns{};  // each of `count` blocks, a pair of patterns per block
};

class FrequencyProducts final : public WindowProducts {
 public:
  FrequencyProducts(OpenClSession& session, bool doubles)
      : session_(session),
        width_(session.is_cpu() ? 8 : 2),
        run_(session.is_cpu() ? kLargestSide : width_),
        bytes_(session.is_cpu() ? kCpuBlockBytes : kGpuBlockBytes) {
    const std::vector<std::string> sources = {"correlation/job.cl", "correlation/correlations.cl",
                                              "correlation/frequency.cl"};
    const std::string options = correlations_options(width_, doubles) + define("RUN", run_);
    image_blocks_ = session.kernel(sources, "image_blocks", options);
    pattern_blocks_ = session.kernel(sources, "pattern_blocks", options);
    multiply_ = session.kernel(sources, "multiply", options);
    store_products_ = session.kernel(sources, "store_products", options);
    store_correlations_ = session.kernel(sources, "store_correlations", options);
    layout_.tile_width = kLargestSide;
    layout_.tile_height = kLargestSide;
  }

  const CorrelationLayout& layout() const override { return layout_; }

  // Takes larger patterns in pieces.
  bool normalises(int width, int height) const override {
    return std::max(width, height) <= kLargestSide / 2;
  }

  void compute(const CorrelationJobs& packed, const CorrelationBuffers& buffers,
               bool normalised) override {
    const std::size_t end = packed.maps.first + packed.maps.count;
    for (std::size_t first = packed.maps.first; first < end;) {
      const CorrelationJob& job = packed.jobs[first];
      std::size_t alike = 1;
      while (first + alike < end && same_sizes(job, packed.jobs[first + alike])) ++alike;
      BlockPlan& plan = plan_of(best_side(job, normalised, alike == 1));
      const std::size_t count = std::min(alike, plan.max_patterns());
      compute_group(plan, {first, count, job, normalised}, buffers);
      first += count;
    }
  }

 private:
  // Jobs side by side that share the transforms of an image.
  struct Group {
    std::size_t first;
    std::size_t count;
    const CorrelationJob& job;  // the first
    bool normalised;

    std::size_t pairs() const { return parts(count, 2); }
  };

  BlockPlan& plan_of(int side) {
    std::unique_ptr<BlockPlan>& plan = plans_[side];
    if (!plan) plan = std::make_unique<BlockPlan>(session_, side, bytes_);
    return *plan;
  }

  Cut cut_of(const CorrelationJob& job, int side) const {
    Cut cut;
    cut.side = side;
    cut.piece_width = std::min(job.pattern_width, side / 2);
    cut.piece_height = std::min(job.pattern_height, side / 2);
    cut.hop_x = (side - cut.piece_width + 1) / width_ * width_;
    cut.hop_y = side - cut.piece_height + 1;
    cut.blocks_x = parts(job.map_width, cut.hop_x);
    return cut;
  }

  // Returns the side with the least arithmetic; of sides that take the pattern in one piece, if
  // maps are normalised at once.
  int best_side(const CorrelationJob& job, bool in_one_piece, bool paired) const {
    int best = kLargestSide;
    double least = INFINITY;
    for (int side = kSmallestSide; side <= kLargestSide; side *= 2) {
      const Cut cut = cut_of(job, side);
      const int pieces =
          parts(job.pattern_width, cut.piece_width) * parts(job.pattern_height, cut.piece_height);
      if (in_one_piece && pieces > 1) continue;
      const int blocks = cut.blocks_x * parts(job.map_height, cut.hop_y);
      const int places = paired ? parts(blocks, 2) : blocks;
      const double work = 1.0 * pieces * places * side * side * std::log2(side);
      if (work < least) best = side;
      least = std::min(least, work);
    }
    return best;
  }

  void compute_group(BlockPlan& plan, const Group& group, const CorrelationBuffers& buffers) {
    const CorrelationJob& job = group.job;
    Cut cut = cut_of(job, plan.side);
    cut.paired = group.count == 1;
    const Cut whole = cut;
    const int blocks = cut.blocks_x * parts(job.map_height, cut.hop_y);
    const int together = static_cast<int>(plan.count) * (cut.paired ? 2 : 1);
    for (cut.piece_y = 0; cut.piece_y < job.pattern_height; cut.piece_y += whole.piece_height) {
      cut.piece_height = std::min(whole.piece_height, job.pattern_height - cut.piece_y);
      for (cut.piece_x = 0; cut.piece_x < job.pattern_width; cut.piece_x += whole.piece_width) {
        cut.piece_width = std::min(whole.piece_width, job.pattern_width - cut.piece_x);
        transform_patterns(plan, group, cut, buffers);
        for (cut.first_block = 0; cut.first_block < blocks; cut.first_block += together) {
          compute_blocks(plan, group, cut, buffers);
        }
      }
    }
  }

  void transform_patterns(BlockPlan& plan, const Group& group, const Cut& cut,
                          const CorrelationBuffers& buffers) {
    while (plan.patterns.size() * plan.count < group.pairs()) {
      plan.patterns.push_back(session_.allocate(plan.all_bytes()));
    }
    const cl_uint items = runs_of(plan, cut.side, cut.side);
    for (std::size_t pair = 0; pair < group.pairs(); pair += plan.count) {
      cl::Buffer& blocks = plan.patterns[pair / plan.count];
      set_arguments(pattern_blocks_, buffers.jobs.buffer, to_uint(group.first + 2 * pair),
                    to_uint(std::min(group.count - 2 * pair, 2 * plan.count)), cut, items,
                    buffers.patterns.buffer, blocks);
      launch(pattern_blocks_, "correlation pattern_blocks", items);
      plan.transform.forward(blocks);
    }
  }

  void compute_blocks(BlockPlan& plan, const Group& group, const Cut& cut,
                      const CorrelationBuffers& buffers) {
    const cl_uint runs = runs_of(plan, cut.side, cut.side);
    set_arguments(image_blocks_, buffers.jobs.buffer, to_uint(group.first), cut, runs,
                  buffers.images.buffer, plan.image);
    launch(image_blocks_, "correlation image_blocks", runs);
    plan.transform.forward(plan.image);
    const std::size_t items = plan.block_bytes / (to_size(width_) * sizeof(cl_double));
    for (std::size_t pair = 0; pair < group.pairs(); ++pair) {
      set_arguments(multiply_, plan.image, plan.patterns[pair / plan.count],
                    to_uint(pair % plan.count), to_uint(items), to_uint(items * plan.count),
                    plan.products);
      launch(multiply_, "correlation multiply", to_uint(items * plan.count));
      plan.transform.inverse(plan.products);
      store(plan, group, pair, cut, buffers);
    }
  }

  void store(BlockPlan& plan, const Group& group, std::size_t pair, const Cut& cut,
             const CorrelationBuffers& buffers) {
    const auto first = to_uint(group.first + 2 * pair);
    const cl_int stored = cut.paired || group.count - 2 * pair >= 2 ? 2 : 1;
    const cl_double scale = 1.0 / (1.0 * cut.side * cut.side);
    const cl_uint runs = runs_of(plan, cut.hop_x, cut.hop_y);
    if (group.normalised) {
      set_arguments(store_correlations_, buffers.jobs.buffer, first, stored, cut, runs,
                    plan.products, scale, buffers.window_sums.buffer, buffers.inverses.buffer,
                    buffers.map.buffer);
      launch(store_correlations_, "correlation store_correlations", runs);
    } else {
      const cl_int accumulate = cut.piece_x > 0 || cut.piece_y > 0;
      set_arguments(store_products_, buffers.jobs.buffer, first, stored, cut, runs, plan.products,
                    scale, accumulate, buffers.products.buffer);
      launch(store_products_, "correlation store_products", runs);
    }
  }

  // Returns the number of runs that cover width x height positions of every block.
  cl_uint runs_of(const BlockPlan& plan, int width, int height) const {
    return to_uint(to_size(parts(width, run_)) * to_size(height) * plan.count);
  }

  void launch(const cl::Kernel& kernel, const char* label, cl_uint items) {
    session_.launch(kernel, label, {items}, cl::NDRange(64));
  }

  OpenClSession& session_;
  const int width_;  // positions of a vector
  const int run_;    // positions of an item
  const std::size_t bytes_;
  CorrelationLayout layout_;
  std::map<int, std::unique_ptr<BlockPlan>> plans_;  // by side
  cl::Kernel image_blocks_, pattern_blocks_, multiply_, store_products_, store_correlations_;
};

}  // namespace

bool has_vkfft() {
  return true;
}

std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& session, bool doubles) {
  return std::make_unique<FrequencyProducts>(session, doubles);
}

}  // namespace lookalike

#else

namespace lookalike {

bool has_vkfft() {
  return false;
}

std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& /*session*/,
                                                        bool /*doubles*/) {
  throw Error(ErrorKind::kDevice, "correlation: built without VkFFT, which 'frequency' needs");
}

}  // namespace lookalike

#endif
