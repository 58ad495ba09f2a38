#include "base/random.h"
#include "kernels/cases.h"
#include "kernels/histogram/histogram.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t images;
  std::size_t words;
  std::size_t features = 1000;  // per image
};

CaseSizes<Size> sizes_for(bool is_cpu) {
  const std::size_t images = is_cpu ? 64 : 256;
  const std::vector<Size> large = {{images, 512}, {images, 4096}, {images, 65536}};
  CaseSizes<Size> sizes = {.self_test = {{3, 5000, 100}},
                           .test = {{0, 3, 5}, {1, 1, 0}, {5, 7, 0}, {65, 65536, 3}},
                           .quick = {{3, 64}},
                           .tuning = large,
                           .full = large};
  for (const std::size_t words : {1U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 9000U}) {
    sizes.test.push_back({70, words, 35});
  }
  return sizes;
}

struct Inputs {
  std::size_t word_count;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> offsets;
};

// Makes images with the same number of features for benchmarks (`even`), and with numbers that rise
// from 0 to twice the average for checks.
Inputs inputs_of(const Size& size, bool even) {
  Inputs inputs{.word_count = size.words, .words = {}, .offsets = {0}};
  Random random(1);
  for (std::size_t i = 0; i < size.images; ++i) {
    const std::size_t features = even ? size.features : 2 * size.features * i / size.images;
    for (std::size_t n = 0; n < features; ++n) {
      inputs.words.push_back(static_cast<std::uint32_t>(random.bits() % size.words));
    }
    inputs.offsets.push_back(static_cast<std::uint32_t>(inputs.words.size()));
  }
  return inputs;
}

std::vector<std::uint32_t> histogram_reference(const Inputs& inputs) {
  const auto& [word_count, words, offsets] = inputs;
  std::vector<std::uint32_t> histograms((offsets.size() - 1) * word_count);
  for (std::size_t image = 0; image + 1 < offsets.size(); ++image) {
    for (std::size_t i = offsets[image]; i < offsets[image + 1]; ++i) {
      ++histograms[image * word_count + words[i]];
    }
  }
  return histograms;
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, HistogramKernel kernel) {
  return run_of(
      [&inputs, histograms = WordHistograms(session, inputs.word_count, kernel)]() mutable {
        return histograms.count(inputs.words, inputs.offsets);
      },
      [&inputs](const auto& counts) { return difference(counts, histogram_reference(inputs)); });
}

}  // namespace

std::vector<KernelCase> histogram_cases(OpenClSession& session, CaseScale scale) {
  const bool even = scale >= CaseScale::kQuick;
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu()).at(scale)) {
    const std::size_t copied = size.images * (size.features + size.words);
    KernelCase problem{.kernel = "histogram",
                       .sizes = {{"words", size.words}},
                       .more_sizes = {{"images", size.images}, {"features", size.features}},
                       .unit = WorkUnit::kCopiedBytes,
                       .amount = static_cast<double>(copied * sizeof(std::uint32_t))};
    cases.push_back(with_variants(
        std::move(problem), session, histogram_kernels(session),
        [=] { return inputs_of(size, even); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
