#include "kernels/correlation/window_products.h"

namespace lookalike {

std::unique_ptr<WindowProducts> make_window_products(OpenClSession& session,
                                                     CorrelationKernel kernel, bool doubles) {
  return kernel == CorrelationKernel::kFrequency ? make_frequency_products(session, doubles)
                                                 : make_direct_products(session, kernel, doubles);
}

bool use_doubles(OpenClSession& session, bool double_precision) {
  return double_precision && session.device().has_doubles;
}

std::string correlations_options(int width, bool doubles) {
  return define("WIDTH", width) + (doubles ? " -DDOUBLE_PRECISION" : "");
}

}  // namespace lookalike
