#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/correlation/correlation_jobs.h"
#include "kernels/correlation/correlation_kernel.h"
#include "kernels/session/session.h"

namespace lookalike {

// Real number type of the normalisation, as in correlations.cl: double where asked for and there.
bool use_doubles(OpenClSession& session, bool double_precision);

// Build options that correlations.cl expects, for vectors of `width` positions.
std::string correlations_options(int width, bool doubles);

// One form's kernels: the sums of window less 128 times pattern at every position of some jobs.
class WindowProducts {
 public:
  // `kernel` is not kAuto; `doubles` is what use_doubles() said.
  WindowProducts(OpenClSession& session, CorrelationKernel kernel, bool doubles);

  // What pack_jobs must know; segment, run and columns are left for the caller.
  const CorrelationLayout& layout() const { return layout_; }

  // Whether window_correlations can take patterns of so many pixels.
  bool normalises(std::size_t pixels) const;

  // Writes or, for the second, normalises at once the products of the jobs in `range`.
  void products(const JobRange& range, const cl::Buffer& jobs, const cl::Buffer& images,
                const cl::Buffer& patterns, const cl::Buffer& products);
  void correlations(const JobRange& range, const cl::Buffer& jobs, const cl::Buffer& images,
                    const cl::Buffer& patterns, const cl::Buffer& window_sums,
                    const cl::Buffer& inverses, const cl::Buffer& map);

 private:
  void launch(cl::Kernel& kernel, const char* label, const JobRange& range);

  OpenClSession& session_;
  CorrelationLayout layout_;
  cl::NDRange group_;
  bool normalises_ = false;
  cl::Kernel products_;
  cl::Kernel correlations_;
};

}  // namespace lookalike
