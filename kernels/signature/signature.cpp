#include "kernels/signature/signature.h"

#include <vector>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr std::size_t kGroupItems = 64;

// Returns the projection as [d][64], so that all sums of a descriptor run side by side.
std::vector<float> transposed(const Codebook& codebook) {
  const std::size_t size = codebook.descriptor_size;
  require(codebook.projection.size() == kSignatureBits * size &&
              codebook.thresholds.size() == kSignatureBits * codebook.size(),
          "WordSignatures: the codebook is incomplete");
  std::vector<float> axes(codebook.projection.size());
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    for (std::size_t i = 0; i < size; ++i) {
      axes[i * kSignatureBits + bit] = codebook.projection[bit * size + i];
    }
  }
  return axes;
}

}  // namespace

WordSignatures::WordSignatures(OpenClSession& session, const Codebook& codebook)
    : session_(session),
      axes_(session.upload<float>(transposed(codebook))),
      thresholds_(session.upload<float>(codebook.thresholds)),
      kernel_(session.kernel({"signature/signature.cl"}, "signatures",
                             define("DIMENSIONS", codebook.descriptor_size))) {}

void WordSignatures::compute(const cl::Buffer& descriptors, const cl::Buffer& words, std::size_t n,
                             const cl::Buffer& signatures) {
  set_arguments(kernel_, descriptors, words, to_uint(n), axes_, thresholds_, signatures);
  session_.launch(kernel_, "signatures", {n}, {{kGroupItems}});
}

}  // namespace lookalike
