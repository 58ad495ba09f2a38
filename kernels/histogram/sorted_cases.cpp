#include <algorithm>
#include <memory>
#include <utility>

#include "base/random.h"
#include "kernels/cases.h"
#include "kernels/histogram/sorted.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t features;  // of an image
  std::size_t images = 32;
  std::size_t words = 65536;
};

CaseSizes<Size> sizes_for(bool is_cpu) {
  const std::size_t images = is_cpu ? 16 : 32;
  const std::vector<Size> large = {{300, images}, {1000, images}, {8192, images}};
  CaseSizes<Size> sizes = {
      .self_test = {{100, 3, 5000}},
      .test = {{1, 1, 1}, {900, 5, std::size_t{1} << 31U}, {5000, 2, 1U << 21U}},
      .quick = {{64, 3}},
      .tuning = large,
      .full = large};
  for (const std::size_t features : {1U, 63U, 64U, 65U, 127U, 128U, 129U, 1025U}) {
    sizes.test.push_back({features, 7, 300});
  }
  return sizes;
}

struct Inputs {
  std::size_t word_count;
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> signatures;
  std::vector<std::uint32_t> offsets;
};

// Makes images with the same number of features for benchmarks (`even`), and with numbers that rise
// from 0 to `size.features` for checks. A third of the features has one of three words, since
// patterns repeat.
Inputs inputs_of(const Size& size, bool even) {
  Inputs inputs{.word_count = size.words, .words = {}, .signatures = {}, .offsets = {0}};
  Random random(1);
  for (std::size_t i = 0; i < size.images; ++i) {
    const std::size_t most = std::max<std::size_t>(size.images - 1, 1);
    const std::size_t features =
        even || size.images == 1 ? size.features : size.features * i / most;
    for (std::size_t n = 0; n < features; ++n) {
      const std::uint64_t bits = random.bits();
      const std::size_t word =
          bits % 3 == 0 ? size.words - 1 - bits / 3 % 3 % size.words : (bits >> 8U) % size.words;
      inputs.words.push_back(static_cast<std::uint32_t>(word));
      inputs.signatures.push_back(random.bits());
    }
    inputs.offsets.push_back(static_cast<std::uint32_t>(inputs.words.size()));
  }
  return inputs;
}

// Words, signatures by halves and numbers, one after the other.
std::vector<std::uint32_t> joined(std::vector<std::uint32_t> words,
                                  const std::vector<std::uint64_t>& signatures,
                                  const std::vector<std::uint32_t>& numbers) {
  for (const std::uint64_t signature : signatures) {
    words.push_back(static_cast<std::uint32_t>(signature));
    words.push_back(static_cast<std::uint32_t>(signature >> 32U));
  }
  words.insert(words.end(), numbers.begin(), numbers.end());
  return words;
}

std::vector<std::uint32_t> sorted_reference(const Inputs& inputs) {
  std::vector<std::uint32_t> numbers(inputs.words.size());
  std::vector<std::uint32_t> words(numbers.size());
  std::vector<std::uint64_t> signatures(numbers.size());
  for (std::size_t image = 0; image + 1 < inputs.offsets.size(); ++image) {
    const std::size_t first = inputs.offsets[image];
    const std::size_t count = inputs.offsets[image + 1] - first;
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    for (std::size_t i = 0; i < count; ++i) numbers[first + i] = static_cast<std::uint32_t>(i);
    std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return inputs.words[first + a] < inputs.words[first + b];
    });
    for (std::size_t i = first; i < first + count; ++i) {
      words[i] = inputs.words[first + numbers[i]];
      signatures[i] = inputs.signatures[first + numbers[i]];
    }
  }
  return joined(std::move(words), signatures, numbers);
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, SortKernel kernel) {
  const auto histograms = std::make_shared<SortedHistograms>(session, inputs.word_count, kernel);
  const auto solve = [=, &session, &inputs] {
    const auto& sorted =
        histograms->sort(session.upload<std::uint32_t>(inputs.words),
                         session.upload<std::uint64_t>(inputs.signatures), inputs.offsets);
    std::vector<std::uint32_t> words(inputs.words.size());
    std::vector<std::uint64_t> signatures(words.size());
    std::vector<std::uint32_t> numbers(words.size());
    session.read<std::uint32_t>(sorted.words, words);
    session.read<std::uint64_t>(sorted.signatures, signatures);
    session.read<std::uint32_t>(sorted.numbers, numbers);
    return joined(std::move(words), signatures, numbers);
  };
  return run_of(
      solve, [&inputs](const auto& found) { return difference(found, sorted_reference(inputs)); });
}

}  // namespace

std::vector<KernelCase> sorted_histogram_cases(OpenClSession& session, CaseScale scale) {
  const bool even = scale >= CaseScale::kQuick;
  std::vector<KernelCase> cases;
  for (const Size& size : sizes_for(session.is_cpu()).at(scale)) {
    // Words and signatures are read and written, numbers written.
    const std::size_t bytes = size.images * size.features * (2 * 4 + 2 * 8 + 4);
    KernelCase problem{.kernel = "sorted_histogram",
                       .sizes = {{"features", size.features}},
                       .more_sizes = {{"images", size.images}, {"words", size.words}},
                       .unit = WorkUnit::kCopiedBytes,
                       .amount = static_cast<double>(bytes)};
    cases.push_back(with_variants(
        std::move(problem), session, sort_kernels(session, size.words, size.features),
        [=] { return inputs_of(size, even); }, prepare));
  }
  return cases;
}

}  // namespace lookalike
