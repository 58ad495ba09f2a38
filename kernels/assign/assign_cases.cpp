#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "kernels/assign/assign.h"
#include "kernels/cases.h"
#include "kernels/inputs.h"

namespace lookalike {
namespace {

constexpr double kRelativeTolerance = 1e-5;

double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t dimensions;
  std::size_t nearest = 1;  // words per descriptor
};

CaseSizes<Size> sizes_for(const OpenClSession& session) {
  const std::size_t many = std::size_t{1} << (session.is_cpu() ? 17U : 20U);
  const std::size_t some = many / 8;
  // The words that constant memory holds.
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

bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer) {
  require(m <= words.rows() && (descriptors.empty() || words.cols() == descriptors.cols()),
          "is_nearest: mismatched shapes");
  const std::size_t answers = descriptors.rows() * m;
  if (answer.words.size() != answers || answer.squared_distances.size() != answers) return false;
  std::vector<double> distances(words.rows());
  for (std::size_t row = 0; row < descriptors.rows(); ++row) {
    for (std::size_t word = 0; word < words.rows(); ++word) {
      distances[word] = squared_distance(descriptors.row(row), words.row(word));
    }
    std::vector<double> sorted = distances;
    std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(m),
                      sorted.end());
    const std::uint32_t* found = answer.words.data() + row * m;
    for (std::size_t rank = 0; rank < m; ++rank) {
      const std::uint32_t word = found[rank];
      const bool is_repeated = std::find(found, found + rank, word) != found + rank;
      if (word >= words.rows() || is_repeated) return false;
      const double distance = distances[word];
      const auto reported = static_cast<double>(answer.squared_distances[row * m + rank]);
      if (distance > sorted[rank] * (1 + kRelativeTolerance)) return false;
      if (std::abs(reported - distance) > distance * kRelativeTolerance) return false;
    }
  }
  return true;
}

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
