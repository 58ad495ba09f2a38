#include "kernels/histogram/histogram.h"

#include <algorithm>
#include <string>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Bins that are on the device at once: 256 MiB.
constexpr std::size_t kBatchCells = std::size_t{1} << 26;
constexpr std::size_t kGroupItems = 64;
// Most bins of a segment: 16 KiB, half of the local memory that OpenCL demands of GPUs, so that a
// compute unit holds two groups or more.
constexpr std::size_t kMostBins = 4096;

}  // namespace

std::vector<HistogramKernel> histogram_kernels(const OpenClSession& session) {
  if (session.is_cpu()) {
    return {HistogramKernel::kSerial, HistogramKernel::kLocal, HistogramKernel::kAtomic};
  }
  return {HistogramKernel::kLocal, HistogramKernel::kAtomic, HistogramKernel::kSerial};
}

WordHistograms::WordHistograms(OpenClSession& session, std::size_t word_count,
                               HistogramKernel kernel)
    : session_(session),
      word_count_(word_count),
      kernel_(select_variant(session, "histogram", {{"words", word_count}},
                             histogram_kernels(session), kernel)) {
  require(word_count >= 1 && word_count <= std::size_t{1} << 31U,
          "WordHistograms: needs from 1 to 2^31 words");
}

std::vector<std::uint32_t> WordHistograms::count(std::span<const std::uint32_t> words,
                                                 std::span<const std::uint32_t> offsets) {
  require(!offsets.empty() && offsets.front() == 0 && offsets.back() == words.size() &&
              std::is_sorted(offsets.begin(), offsets.end()),
          "WordHistograms: offsets must rise from 0 to the number of words");
  require(std::all_of(words.begin(), words.end(),
                      [&](std::uint32_t word) { return word < word_count_; }),
          "WordHistograms: a word is not in the codebook");
  const std::size_t images = offsets.size() - 1;
  std::vector<std::uint32_t> result(images * word_count_);
  for_each_batch(images, kBatchCells / word_count_, [&](std::size_t first, std::size_t count) {
    const std::span<const std::uint32_t> batch = offsets.subspan(first, count + 1);
    count_batch(words.subspan(batch.front(), batch.back() - batch.front()), batch,
                std::span(result).subspan(first * word_count_, count * word_count_));
  });
  return result;
}

// Counts for images whose words start at offsets.front().
void WordHistograms::count_batch(std::span<const std::uint32_t> words,
                                 std::span<const std::uint32_t> offsets,
                                 std::span<std::uint32_t> histograms) {
  const std::size_t images = offsets.size() - 1;
  std::vector<std::uint32_t> starts(offsets.begin(), offsets.end());
  for (std::uint32_t& start : starts) start -= offsets.front();
  const cl::Buffer device_words = session_.upload(words);
  const cl::Buffer device_starts = session_.upload<std::uint32_t>(starts);
  const cl::Buffer counts = session_.allocate(histograms.size_bytes());
  const std::size_t bins = std::min(kMostBins, round_up(word_count_, kGroupItems));
  const auto compiled = [&](const std::string& name) {
    return session_.kernel({"histogram/histogram.cl"}, name,
                           define("BINS", bins) + define("GROUP_ITEMS", kGroupItems));
  };
  const std::string variant(to_string(kernel_));
  cl::Kernel kernel = compiled("count_" + variant);
  set_arguments(kernel, device_words, device_starts, to_uint(images), to_uint(word_count_), counts);
  const std::string label = "histogram_" + variant;
  if (kernel_ == HistogramKernel::kSerial) {
    session_.launch(kernel, label, {images}, {{1}});
  } else if (kernel_ == HistogramKernel::kLocal) {
    session_.launch(kernel, label, {parts(word_count_, bins) * images * kGroupItems},
                    {{kGroupItems}});
  } else {
    // A launch, so that its time counts.
    cl::Kernel clear = compiled("clear_bins");
    set_arguments(clear, counts, static_cast<cl_ulong>(images * word_count_));
    session_.launch(clear, "histogram_clear", {images * word_count_}, {{kGroupItems}});
    session_.launch(kernel, label, {words.size()}, {{kGroupItems}});
  }
  session_.read(counts, histograms);
}

}  // namespace lookalike
