#include <memory>

#include "base/random.h"
#include "kernels/histogram/histogram.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

constexpr std::size_t kWordsOfImage = 1000;

struct Size {
  std::size_t images;
  std::size_t words;
};

std::vector<Size> sizes_for(bool is_cpu, WorkloadScale scale) {
  const std::size_t images = is_cpu ? 64 : 256;
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{3, 64}};
    case WorkloadScale::kTuning:
    case WorkloadScale::kFull:
      break;
  }
  return {{images, 512}, {images, 4096}, {images, 65536}};
}

std::vector<std::uint32_t> random_words(const Size& size) {
  Random random(1);
  std::vector<std::uint32_t> words(size.images * kWordsOfImage);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.bits() % size.words);
  return words;
}

Workload workload_of(OpenClSession& session, const Size& size) {
  const std::size_t read = size.images * kWordsOfImage;
  Workload workload{
      .kernel = "histogram",
      .sizes = {{"words", size.words}},
      .more_sizes = {{"images", size.images}, {"features", kWordsOfImage}},
      .unit = WorkUnit::kCopiedBytes,
      .amount = static_cast<double>((read + size.images * size.words) * sizeof(std::uint32_t))};
  for (const HistogramKernel kernel : histogram_kernels(session)) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<std::vector<std::uint32_t>> words([=] { return random_words(size); });
  workload.prepare = [&session, size, words](const std::string& variant) {
    std::vector<std::uint32_t> offsets;
    for (std::size_t i = 0; i <= size.images; ++i) {
      offsets.push_back(static_cast<std::uint32_t>(i * kWordsOfImage));
    }
    const auto histograms =
        std::make_shared<WordHistograms>(session, size.words, parse_histogram_kernel(variant));
    return [=] { histograms->count(words.get(), offsets); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> histogram_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(session.is_cpu(), scale)) {
    workloads.push_back(workload_of(session, size));
  }
  return workloads;
}

}  // namespace lookalike
