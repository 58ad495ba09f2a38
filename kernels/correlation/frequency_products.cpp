// Products by Fourier transforms: see frequency_blocks.cl.
//
// Exact: the sums are integers, and the transforms' rounding errors stay far below the 1/2 up to
// which the nearest integer is the right one. Pixels and patterns are within [-128, 128], so a
// block has length L <= 128 * 2048 and a pair of patterns M <= sqrt(2) * 128 * 1024, or the pair is
// of blocks and the bound the same. Three transforms of 2^22 numbers are off by at most 3 * 22 * 8
// u L M < 0.01 in all, u = 2^-53 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
// ed., theorem 24.2, with twiddle factors good to u).
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/correlation/block_transform.h"
#include "kernels/correlation/window_products.h"

namespace lookalike {
namespace {

constexpr int kSmallestSide = 256;
constexpr int kLargestSide = 2048;
constexpr std::size_t kPixelBytes = 2 * sizeof(cl_double);

// Blocks are transformed together up to so many bytes: on a CPU what its caches hold; on a GPU, of
// 8, 16, 32, 64 and 128 MiB, what took the least time for 64^2, 128^2 and 512^2 in 1920x1080, or
// nearly so (correlation_benchmark of commit 2d0115e, NVIDIA H200).
constexpr std::size_t kCpuBlockBytes = std::size_t{4} << 20;
constexpr std::size_t kGpuBlockBytes = std::size_t{32} << 20;

// Transforms of patterns are kept up to so many bytes while the blocks of an image go by.
constexpr std::size_t kPatternBytes = std::size_t{256} << 20;

// As in frequency_blocks.cl, which says what each field is.
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

bool same_sizes(const CorrelationJob& a, const CorrelationJob& b) {
  return a.image == b.image && a.image_width == b.image_width && a.image_height == b.image_height &&
         a.pattern_width == b.pattern_width && a.pattern_height == b.pattern_height &&
         a.pattern_pitch == b.pattern_pitch && a.pitch == b.pitch;
}

// What blocks of one side need on the device.
struct Workshop {
  Workshop(OpenClSession& session, int block_side, std::size_t bytes)
      : side(block_side),
        block_bytes(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * kPixelBytes),
        count(static_cast<int>(std::max<std::size_t>(1, bytes / block_bytes))),
        transform(session, side, count),
        image(session.allocate(all_bytes())),
        products(session.allocate(all_bytes())) {}

  std::size_t all_bytes() const { return block_bytes * static_cast<std::size_t>(count); }
  int most_patterns() const {
    return 2 * std::max(count, static_cast<int>(kPatternBytes / block_bytes));
  }

  int side;
  std::size_t block_bytes;
  int count;  // blocks transformed together
  BlockTransform transform;
  cl::Buffer image;
  cl::Buffer products;
  std::vector<cl::Buffer> patterns{};  // each of `count` blocks, a pair of patterns a block
};

class FrequencyProducts final : public WindowProducts {
 public:
  FrequencyProducts(OpenClSession& session, bool doubles)
      : session_(session),
        width_(session.is_cpu() ? 8 : 2),
        run_(session.is_cpu() ? kLargestSide : width_),
        bytes_(session.is_cpu() ? kCpuBlockBytes : kGpuBlockBytes) {
    const std::vector<std::string> sources = {"correlation/job.cl", "correlation/correlations.cl",
                                              "correlation/frequency_blocks.cl",
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

  // Larger patterns are taken in pieces.
  bool normalises(int width, int height) const override {
    return std::max(width, height) <= kLargestSide / 2;
  }

  void products(const CorrelationJobs& packed, const JobRange& range,
                const CorrelationBuffers& buffers) override {
    take(packed, range, buffers, false);
  }

  void correlations(const CorrelationJobs& packed, const JobRange& range,
                    const CorrelationBuffers& buffers) override {
    take(packed, range, buffers, true);
  }

 private:
  // Jobs side by side that share the transforms of an image.
  struct Group {
    std::size_t first;
    std::size_t count;
    const CorrelationJob& job;  // the first
    bool normalise;

    std::size_t pairs() const { return parts(count, 2); }
  };

  void take(const CorrelationJobs& packed, const JobRange& range, const CorrelationBuffers& buffers,
            bool normalise) {
    const std::size_t end = range.first + range.count;
    for (std::size_t first = range.first; first < end;) {
      const CorrelationJob& job = packed.jobs[first];
      const bool alone = first + 1 == end || !same_sizes(job, packed.jobs[first + 1]);
      Workshop& workshop = workshop_of(best_side(job, normalise, alone));
      std::size_t count = 1;
      while (first + count < end && same_sizes(job, packed.jobs[first + count]) &&
             count < static_cast<std::size_t>(workshop.most_patterns())) {
        ++count;
      }
      take_group(workshop, {first, count, job, normalise}, buffers);
      first += count;
    }
  }

  Workshop& workshop_of(int side) {
    std::unique_ptr<Workshop>& workshop = workshops_[side];
    if (!workshop) workshop = std::make_unique<Workshop>(session_, side, bytes_);
    return *workshop;
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

  // The side with the least arithmetic; if the maps are normalised at once, of those that take the
  // pattern in one piece.
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

  void take_group(Workshop& workshop, const Group& group, const CorrelationBuffers& buffers) {
    const CorrelationJob& job = group.job;
    Cut cut = cut_of(job, workshop.side);
    cut.paired = group.count == 1;
    const Cut whole = cut;
    const int blocks = cut.blocks_x * parts(job.map_height, cut.hop_y);
    const int together = cut.paired ? 2 * workshop.count : workshop.count;
    for (cut.piece_y = 0; cut.piece_y < job.pattern_height; cut.piece_y += whole.piece_height) {
      cut.piece_height = std::min(whole.piece_height, job.pattern_height - cut.piece_y);
      for (cut.piece_x = 0; cut.piece_x < job.pattern_width; cut.piece_x += whole.piece_width) {
        cut.piece_width = std::min(whole.piece_width, job.pattern_width - cut.piece_x);
        transform_patterns(workshop, group, cut, buffers);
        for (cut.first_block = 0; cut.first_block < blocks; cut.first_block += together) {
          take_blocks(workshop, group, cut, buffers);
        }
      }
    }
  }

  void transform_patterns(Workshop& workshop, const Group& group, const Cut& cut,
                          const CorrelationBuffers& buffers) {
    const auto together = static_cast<std::size_t>(workshop.count);
    while (workshop.patterns.size() * together < group.pairs()) {
      workshop.patterns.push_back(session_.allocate(workshop.all_bytes()));
    }
    for (std::size_t pair = 0; pair < group.pairs(); pair += together) {
      cl::Buffer& blocks = workshop.patterns[pair / together];
      const std::size_t jobs = std::min(group.count - 2 * pair, 2 * together);
      launch(pattern_blocks_, "correlation pattern_blocks", rows_of(workshop, cut.side, cut.side),
             [&](cl_uint items) {
               set_arguments(pattern_blocks_, buffers.jobs, to_uint(group.first + 2 * pair),
                             to_uint(jobs), cut, items, buffers.patterns, blocks);
             });
      workshop.transform.forward(blocks);
    }
  }

  void take_blocks(Workshop& workshop, const Group& group, const Cut& cut,
                   const CorrelationBuffers& buffers) {
    launch(image_blocks_, "correlation image_blocks", rows_of(workshop, cut.side, cut.side),
           [&](cl_uint items) {
             set_arguments(image_blocks_, buffers.jobs, to_uint(group.first), cut, items,
                           buffers.images, workshop.image);
           });
    workshop.transform.forward(workshop.image);
    const auto together = static_cast<std::size_t>(workshop.count);
    for (std::size_t pair = 0; pair < group.pairs(); ++pair) {
      const std::size_t block_items =
          workshop.block_bytes / (static_cast<std::size_t>(width_) * sizeof(cl_double));
      launch(multiply_, "correlation multiply", block_items * together, [&](cl_uint items) {
        set_arguments(multiply_, workshop.image, workshop.patterns[pair / together],
                      to_uint(pair % together), to_uint(block_items), items, workshop.products);
      });
      workshop.transform.inverse(workshop.products);
      store(workshop, group, pair, cut, buffers);
    }
  }

  void store(Workshop& workshop, const Group& group, std::size_t pair, const Cut& cut,
             const CorrelationBuffers& buffers) {
    const auto first = to_uint(group.first + 2 * pair);
    const cl_int kept = cut.paired || group.count - 2 * pair >= 2 ? 2 : 1;
    const cl_double scale = 1.0 / (1.0 * cut.side * cut.side);
    const std::size_t runs = rows_of(workshop, cut.hop_x, cut.hop_y);
    if (group.normalise) {
      launch(store_correlations_, "correlation store_correlations", runs, [&](cl_uint items) {
        set_arguments(store_correlations_, buffers.jobs, first, kept, cut, items, workshop.products,
                      scale, buffers.window_sums, buffers.inverses, buffers.map);
      });
      return;
    }
    const cl_int accumulate = cut.piece_x > 0 || cut.piece_y > 0;
    launch(store_products_, "correlation store_products", runs, [&](cl_uint items) {
      set_arguments(store_products_, buffers.jobs, first, kept, cut, items, workshop.products,
                    scale, accumulate, buffers.products);
    });
  }

  // Runs in so many rows of every block.
  std::size_t rows_of(const Workshop& workshop, int width, int height) const {
    return static_cast<std::size_t>(parts(width, run_)) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(workshop.count);
  }

  template <typename SetArguments>
  void launch(cl::Kernel& kernel, const char* label, std::size_t items,
              const SetArguments& set_all) {
    set_all(to_uint(items));
    session_.launch(kernel, label, {items}, cl::NDRange(64));
  }

  OpenClSession& session_;
  const int width_;  // positions of a vector
  const int run_;    // positions of an item
  const std::size_t bytes_;
  CorrelationLayout layout_;
  std::map<int, std::unique_ptr<Workshop>> workshops_;  // by side
  cl::Kernel image_blocks_, pattern_blocks_, multiply_, store_products_, store_correlations_;
};

}  // namespace

std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& session, bool doubles) {
  return std::make_unique<FrequencyProducts>(session, doubles);
}

}  // namespace lookalike
