#include <memory>
#include <string>

#include "kernels/assign/assign.h"
#include "kernels/cases.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t dimensions;
  std::size_t nearest = 1;  // words per descriptor
};

CaseSizes<Size> sizes_for(const OpenClSession& session) {
  const std::size_t many = std::size_t{1} << (session.is_cpu() ? 17U : 20U);
  const std::size_t some = many / 8;
  // As many words as constant memory holds.
  const std::size_t fitting = session.device().constant_buffer_bytes / (64 * sizeof(float));
  CaseSizes<Size> sizes = {.simulator = {{35, 40, 64}},
                           .self_test = {{150, 300, 64}},
                           .test = {{0, 2, 64},
                                    {70, 1, 64},
                                    {3, 1, 128},
                                    {150, 301, 128},
                                    {20, 33, 16},
                                    {5, 3, 64, 3},
                                    {5, 8, 64, 8},
                                    {140, 301, 64, 3},
                                    {140, 301, 64, 8},
                                    {33, fitting, 64},
                                    {33, 2 * fitting + 3, 64, 3},
                                    {33, fitting, 128}},
                           .quick = {{512, 64, 64}},
                           .tuning = {{some, 64, 64},
                                      {some, 64, 128},
                                      {some, 512, 64},
                                      {some, 512, 128},
                                      {some, 4096, 64},
                                      {some, 4096, 128},
                                      {some, 65536, 64},
                                      {some, 65536, 128}},
                           .full = {{some, 512, 64},
                                    {some, 4096, 64},
                                    {some, 4096, 128},
                                    {some, 65536, 64},
                                    {many, 4096, 64}}};
  for (const std::size_t n : {1U, 15U, 16U, 17U, 31U, 32U, 33U, 127U, 128U, 129U}) {
    sizes.test.push_back({n, 37, 64});
  }
  for (const std::size_t k : {2U, 7U, 8U, 9U, 127U, 128U, 129U, 257U}) {
    sizes.test.push_back({41, k, 64});
  }
  return sizes;
}

struct Inputs {
  Size size;
  std::vector<float> words;
  std::vector<float> descriptors;

  MatrixView<const float> word_view() const { return {words, size.dimensions}; }
  MatrixView<const float> descriptor_view() const { return {descriptors, size.dimensions}; }
};

CaseRun prepare(OpenClSession& session, const Inputs& inputs, AssignKernel kernel) {
  const auto assigner = std::make_shared<WordAssigner>(session, inputs.word_view(), kernel);
  const auto solve = [=, &inputs] {
    return assigner->nearest(inputs.descriptor_view(), inputs.size.nearest);
  };
  const auto check = [&inputs](const Assignment& answer) -> std::string {
    return is_nearest(inputs.word_view(), inputs.descriptor_view(), inputs.size.nearest, answer)
               ? ""
               : "a word is not the nearest, or its distance is wrong";
  };
  return run_of(solve, check);
}

}  // namespace

std::vector<KernelCase> assign_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session).at(scale)) {
    KernelCase problem{
        .kernel = "assign",
        .sizes = {{"words", size.words}, {"dimensions", size.dimensions}},
        .more_sizes = {{"descriptors", size.descriptors}},
        .unit = WorkUnit::kOperations,
        .amount = 2.0 * static_cast<double>(size.descriptors * size.words * size.dimensions)};
    const auto inputs = [size] {
      return Inputs{size, synthetic_descriptors(size.words, size.dimensions, 1),
                    synthetic_descriptors(size.descriptors, size.dimensions, 2)};
    };
    cases.push_back(
        with_variants(std::move(problem), session, assign_kernels(session), inputs, prepare));
  }
  return cases;
}

}  // namespace lookalike
