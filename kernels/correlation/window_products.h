#pragma once

#include <memory>
#include <string>

#include "kernels/correlation/correlation_jobs.h"
#include "kernels/correlation/correlation_kernel.h"
#include "kernels/session/build_options.h"
#include "kernels/session/session.h"

namespace lookalike {

// Where a form finds what it needs and puts what it makes; see job.cl.
struct CorrelationBuffers {
  cl::Buffer jobs;  // those of the CorrelationJobs that go with these
  cl::Buffer images;
  cl::Buffer patterns;
  cl::Buffer products;
  cl::Buffer window_sums;
  cl::Buffer inverses;
  cl::Buffer map;
};

// One form of the sums of window less 128 times pattern less 128 at every position of some jobs.
class WindowProducts {
 public:
  WindowProducts() = default;
  WindowProducts(const WindowProducts&) = delete;
  WindowProducts& operator=(const WindowProducts&) = delete;
  virtual ~WindowProducts() = default;

  // What pack_jobs must know.
  virtual const CorrelationLayout& layout() const = 0;

  // Whether correlations() can take patterns of this size.
  virtual bool normalises(int width, int height) const = 0;

  // Writes or, for the second, normalises at once the products of the jobs in `range`.
  virtual void products(const CorrelationJobs& packed, const JobRange& range,
                        const CorrelationBuffers& buffers) = 0;
  virtual void correlations(const CorrelationJobs& packed, const JobRange& range,
                            const CorrelationBuffers& buffers) = 0;
};

// `kernel` is not kAuto; `doubles` is what use_doubles() said. Throws Error(kDevice) when the
// device cannot build it.
std::unique_ptr<WindowProducts> make_window_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles);

// The two makers behind it: every form that goes through positions, and kFrequency.
std::unique_ptr<WindowProducts> make_direct_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles);
std::unique_ptr<WindowProducts> make_frequency_products(OpenClSession& session, bool doubles);

// Real number type of the normalisation, as in correlations.cl: double where asked for and there.
bool use_doubles(OpenClSession& session, bool double_precision);

// Build options that correlations.cl expects, for vectors of `width` positions.
std::string correlations_options(int width, bool doubles);

}  // namespace lookalike
