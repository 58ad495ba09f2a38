#include "kernels/assign/assign.h"
#include "kernels/cases.h"
#include "kernels/inputs.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t dimensions;
  std::size_t nearest = 1;  // words per descriptor
};

std::vector<Size> test_sizes(const OpenClSession& session) {
  std::vector<Size> sizes = {{0, 2, 64},        {70, 1, 64},   {3, 1, 128},
                             {150, 301, 128},   {20, 33, 16},  {140, 301, 64, 3},
                             {140, 301, 64, 8}, {5, 3, 64, 3}, {5, 8, 64, 8}};
  for (const std::size_t n : {1U, 15U, 16U, 17U, 31U, 32U, 33U, 127U, 128U, 129U}) {
    sizes.push_back({n, 37, 64});
  }
  for (const std::size_t k : {2U, 7U, 8U, 9U, 127U, 128U, 129U, 257U}) sizes.push_back({41, k, 64});
  // As many words as constant memory holds, and more.
  const std::size_t fitting = session.device().constant_buffer_bytes / (64 * sizeof(float));
  sizes.push_back({33, fitting, 64});
  sizes.push_back({33, 2 * fitting + 3, 64, 3});
  sizes.push_back({33, fitting, 128});
  return sizes;
}

std::vector<Size> sizes_for(const OpenClSession& session, CaseScale scale) {
  const std::size_t many = std::size_t{1} << (session.is_cpu() ? 17U : 20U);
  const std::size_t some = many / 8;
  switch (scale) {
    case CaseScale::kSimulator:
      return {{35, 40, 64}};
    case CaseScale::kSelfTest:
      return {{150, 300, 64}};
    case CaseScale::kTest:
      return test_sizes(session);
    case CaseScale::kQuick:
      return {{512, 64, 64}};
    case CaseScale::kTuning:
      return {{some, 64, 64},   {some, 64, 128},   {some, 512, 64},   {some, 512, 128},
              {some, 4096, 64}, {some, 4096, 128}, {some, 65536, 64}, {some, 65536, 128}};
    case CaseScale::kFull:
      break;
  }
  return {
      {some, 512, 64}, {some, 4096, 64}, {some, 4096, 128}, {some, 65536, 64}, {many, 4096, 64}};
}

struct Inputs {
  Size size;
  std::vector<float> words;
  std::vector<float> descriptors;

  MatrixView<const float> word_view() const { return {words, size.dimensions}; }
  MatrixView<const float> descriptor_view() const { return {descriptors, size.dimensions}; }
};

class Run : public CaseRun {
 public:
  Run(OpenClSession& session, const Inputs& inputs, AssignKernel kernel)
      : inputs_(inputs), assigner_(session, inputs.word_view(), kernel) {}

  void solve() override {
    answer_ = assigner_.nearest(inputs_.descriptor_view(), inputs_.size.nearest);
  }

  std::string check() override {
    solve();
    return is_nearest(inputs_.word_view(), inputs_.descriptor_view(), inputs_.size.nearest, answer_)
               ? ""
               : "a word is not the nearest, or its distance is wrong";
  }

 private:
  const Inputs& inputs_;
  WordAssigner assigner_;
  Assignment answer_;
};

}  // namespace

std::vector<KernelCase> assign_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session, scale)) {
    KernelCase problem{
        .kernel = "assign",
        .sizes = {{"words", size.words}, {"dimensions", size.dimensions}},
        .more_sizes = {{"descriptors", size.descriptors}},
        .unit = WorkUnit::kOperations,
        .amount = 2.0 * static_cast<double>(size.descriptors * size.words * size.dimensions)};
    cases.push_back(with_variants<Run>(std::move(problem), session, assign_kernels(session), [=] {
      return Inputs{size, synthetic_descriptors(size.words, size.dimensions, 1),
                    synthetic_descriptors(size.descriptors, size.dimensions, 2)};
    }));
  }
  return cases;
}

}  // namespace lookalike
