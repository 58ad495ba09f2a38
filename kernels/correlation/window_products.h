#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/correlation/correlation.h"

// The forms of the correlation's products, and pairs packed for them.
namespace lookalike {

// The layout of patterns for a form of the products, and how much of a map a block of its launches
// covers.
struct CorrelationLayout {
  bool float_patterns = false;  // else 8-bit integers
  int margin_rows = 0;          // rows of zeros above and below each pattern
  int pitch_step = 1;           // rows of patterns are zero-padded to a multiple of this
  int tile_width = 0;           // positions of a tile
  int tile_height = 0;
};

// How much a block covers of the launches for statistics and normalisation.
struct CorrelationSteps {
  int segment = 0;       // positions of a run of an image row
  int run = 0;           // positions of a run of a map's row
  int vector_width = 0;  // columns and rows of a block of columns
  int column_rows = 0;
};

// As Job in job.cl, which describes the fields.
struct CorrelationJob {
  cl_ulong image = 0;
  cl_ulong pattern = 0;
  cl_ulong sums = 0;
  cl_ulong statistics = 0;
  cl_ulong map = 0;
  cl_long pixels = 0;
  cl_long pattern_sum = 0;
  cl_long pattern_spread = 0;
  std::array<cl_uint, 4> first{};
  cl_int image_width = 0;
  cl_int image_height = 0;
  cl_int image_pitch = 0;
  cl_int pattern_width = 0;
  cl_int pattern_height = 0;
  cl_int pattern_pitch = 0;
  cl_int map_width = 0;
  cl_int map_height = 0;
  cl_int pitch = 0;
  cl_int unused = 0;
};
static_assert(sizeof(CorrelationJob) == 120);

// Indices into CorrelationJob::first.
enum class BlockKind : std::size_t { kTiles, kRows, kRuns, kColumns };

// Jobs side by side in CorrelationJobs::jobs, and their blocks in each kind of launch.
struct JobRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::array<cl_uint, 4> blocks{};

  std::size_t total(BlockKind kind) const { return blocks[static_cast<std::size_t>(kind)]; }
};

// Pairs packed for the device.
struct CorrelationJobs {
  std::vector<CorrelationJob> jobs;
  JobRange maps;     // one per pair, in order
  JobRange windows;  // statistics, one per image and size of pattern
  std::vector<std::uint8_t> images;
  std::vector<std::uint8_t> patterns;
  std::size_t sum_count = 0;        // elements of the row sums
  std::size_t statistic_count = 0;  // elements of the window statistics
  std::size_t map_count = 0;        // elements of the maps, and of the products
};

// Throws Error(kInternal) when the pattern is empty, larger than the image or past what the
// kernels' integers hold (2^24 pixels, 2^16 - 1 columns).
void check_pair(const CorrelationPair& pair);

// Returns how many of the first pairs need at most half a gibibyte on the device together, at least
// one. Fused forms store no products.
//   pairs  at least one
std::size_t fitting(std::span<const CorrelationPair> pairs, bool fused);

// Packs pairs. Neighbouring pairs of the same image share its pixels, and with the same size of
// pattern the statistics of its windows. Throws Error(kInternal) when a launch would have 2^32
// blocks.
CorrelationJobs pack_jobs(std::span<const CorrelationPair> pairs, const CorrelationLayout& layout,
                          const CorrelationSteps& steps);

// Device memory of a batch, reused by the next; see job.cl.
struct CorrelationBuffers {
  GrowingBuffer jobs, images, patterns;
  GrowingBuffer sums, squares;          // of rows
  GrowingBuffer window_sums, inverses;  // of windows
  GrowingBuffer products, map, row_best, peaks;
};

// A form of the sums of (window - 128) * (pattern - 128) at every position of some jobs.
class WindowProducts {
 public:
  WindowProducts() = default;
  WindowProducts(const WindowProducts&) = delete;
  WindowProducts& operator=(const WindowProducts&) = delete;
  virtual ~WindowProducts() = default;

  virtual const CorrelationLayout& layout() const = 0;

  // True if compute() can normalise patterns of this size at once.
  virtual bool normalises(int width, int height) const = 0;

  // Computes the products of images and patterns; if `normalised`, it turns them into the map by
  // the statistics of the windows, without storing them.
  virtual void compute(const CorrelationJobs& packed, const CorrelationBuffers& buffers,
                       bool normalised) = 0;
};

// Make a form that goes through positions, and kFrequency, which needs VkFFT. `doubles`: normalise
// in double precision. Throw Error(kDevice) when the form is not in the build or the device cannot
// build it.
std::unique_ptr<WindowProducts> make_direct_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles);
std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& session, bool doubles);

// True if the build found VkFFT (LOOKALIKE_VKFFT).
bool has_vkfft();

// Returns the build options of correlations.cl for vectors of `width` positions.
std::string correlations_options(int width, bool doubles);

// Returns the forms for which may_run() is true, in the order of correlation_kernels.
std::vector<CorrelationKernel> claimed_kernels(OpenClSession& session);

// True if the device claims what the form needs; nothing is compiled.
bool may_run(OpenClSession& session, CorrelationKernel kernel);

// True if a claimed form also compiles and agrees with the reference. Tried once a session, and
// only where the form relies on instructions of the device.
bool runs(OpenClSession& session, CorrelationKernel kernel);

// Returns how many sums a byte dot product of a CPU device adds to at once: 16 with AVX-512 VNNI, 8
// with AVX-VNNI, 0 without either. The processor must have them, and the device's compiler use
// registers of that size.
int dot_product_lanes(OpenClSession& session);

}  // namespace lookalike
