#pragma once

#include <memory>
#include <string>

#include "kernels/correlation/jobs.h"

// The forms of the correlation's products.
namespace lookalike {

// Device memory of a batch, reused by the next; see job.cl.
struct CorrelationBuffers {
  GrowingBuffer jobs, images, patterns;
  GrowingBuffer sums, squares;          // of rows
  GrowingBuffer window_sums, inverses;  // of windows
  GrowingBuffer products, map, row_best, peaks;
};

// One form of the sums of window less 128 times pattern less 128 at every position of some jobs.
class WindowProducts {
 public:
  WindowProducts() = default;
  WindowProducts(const WindowProducts&) = delete;
  WindowProducts& operator=(const WindowProducts&) = delete;
  virtual ~WindowProducts() = default;

  virtual const CorrelationLayout& layout() const = 0;

  // Whether compute() can normalise patterns of this size at once.
  virtual bool normalises(int width, int height) const = 0;

  // From images and patterns to products or, if `normalised`, with the statistics of the windows to
  // the map.
  virtual void compute(const CorrelationJobs& packed, const CorrelationBuffers& buffers,
                       bool normalised) = 0;
};

// Every form that goes through positions, and kFrequency, which needs VkFFT. `doubles`: normalise
// in double precision. Throw Error(kDevice) when the form is not in the build or the device cannot
// build it.
std::unique_ptr<WindowProducts> make_direct_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles);
std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& session, bool doubles);

// Whether the build found VkFFT (LOOKALIKE_VKFFT).
bool has_vkfft();

// Build options that correlations.cl expects, for vectors of `width` positions.
std::string correlations_options(int width, bool doubles);

// The forms whose needs the device claims to have; nothing is compiled. As correlation_kernels.
std::vector<CorrelationKernel> claimed_kernels(OpenClSession& session);

// Whether the device claims what the form needs; nothing is compiled.
bool may_run(OpenClSession& session, CorrelationKernel kernel);

// Whether a claimed form also compiles and finds what the reference finds. Tried once a session,
// and only where the form relies on instructions of the device.
bool runs(OpenClSession& session, CorrelationKernel kernel);

// How many sums a byte dot product of a CPU device adds to at once: 16 with AVX-512 VNNI, 8 with
// AVX-VNNI, 0 without either. The processor, that which this program runs on, must have them, and
// the device's compiler use registers of that size.
int dot_product_lanes(OpenClSession& session);

}  // namespace lookalike
