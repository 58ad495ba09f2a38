#include <utility>

#include "base/random.h"
#include "base/signature.h"
#include "kernels/cases.h"
#include "kernels/signature/signature.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t dimensions = 64;
};

CaseSizes<Size> sizes_for(bool is_cpu) {
  const std::size_t many = is_cpu ? std::size_t{1} << 14 : std::size_t{1} << 18;
  return {.self_test = {{100, 40}},
          .test = {{0, 3}, {1, 1}, {63, 7}, {64, 7}, {65, 7}, {257, 40, 128}},
          .quick = {{256, 64}},
          .tuning = {{many, 4096}},
          .full = {{many, 4096}, {many, 4096, 128}, {many, 65536}}};
}

struct Inputs {
  Codebook codebook;
  std::vector<float> descriptors;
  std::vector<std::uint32_t> words;
};

// Makes thresholds near the projections, so that many bits are close calls.
Inputs inputs_of(const Size& size) {
  Inputs inputs;
  inputs.codebook = {.descriptor_size = size.dimensions,
                     .words = synthetic_descriptors(size.words, size.dimensions, 1),
                     .projection = noise_values(kSignatureBits * size.dimensions, 2),
                     .thresholds = noise_values(kSignatureBits * size.words, 3)};
  for (float& value : inputs.codebook.projection) value -= 0.5F;
  for (float& value : inputs.codebook.thresholds) value = (value - 0.5F) * 0.1F;
  inputs.descriptors = synthetic_descriptors(size.descriptors, size.dimensions, 4);
  Random random(5);
  for (std::size_t i = 0; i < size.descriptors; ++i) {
    inputs.words.push_back(static_cast<std::uint32_t>(random.bits() % size.words));
  }
  return inputs;
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, std::string_view /*variant*/) {
  const auto kernel = std::make_shared<WordSignatures>(session, inputs.codebook);
  const auto solve = [=, &session, &inputs] {
    std::vector<std::uint64_t> found(inputs.words.size());
    const cl::Buffer signatures = session.allocate(found.size() * sizeof(std::uint64_t));
    kernel->compute(session.upload<float>(inputs.descriptors),
                    session.upload<std::uint32_t>(inputs.words), found.size(), signatures);
    session.read<std::uint64_t>(signatures, found);
    return found;
  };
  return run_of(solve, [&inputs](const std::vector<std::uint64_t>& found) -> std::string {
    const MatrixView<const float> rows(inputs.descriptors, inputs.codebook.descriptor_size);
    const bool equal = found == signatures_of(rows, inputs.codebook, inputs.words);
    return equal ? "" : "the signatures are not the host's";
  });
}

}  // namespace

std::vector<KernelCase> signature_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu()).at(scale)) {
    KernelCase problem{
        .kernel = "signature",
        .sizes = {{"words", size.words}, {"dimensions", size.dimensions}},
        .more_sizes = {{"descriptors", size.descriptors}},
        .unit = WorkUnit::kOperations,
        .amount = 2.0 * static_cast<double>(size.descriptors * size.dimensions * kSignatureBits)};
    cases.push_back(with_variants(
        std::move(problem), session, std::vector<std::string_view>{"items"},
        [=] { return inputs_of(size); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
