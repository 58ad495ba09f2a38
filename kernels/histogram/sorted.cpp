#include "kernels/histogram/sorted.h"

#include <algorithm>
#include <bit>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr std::size_t kSortGroupItems = 64;

int bits_of(std::size_t values) {
  return static_cast<int>(std::bit_width(values - 1));
}

// What the bitonic kernel is built for.
struct Network {
  std::size_t capacity;  // features of an image
  bool has_short_keys;   // 32 bits hold a word and a number

  Network(std::size_t word_count, std::size_t most_features)
      : capacity(std::bit_ceil(std::max(most_features, 2 * kSortGroupItems))),
        has_short_keys(bits_of(word_count) + bits_of(capacity) <= 32) {}
  std::size_t bytes() const { return capacity * (has_short_keys ? 4 : 8); }
  std::string options() const {
    return define("CAPACITY", capacity) + define("NUMBER_BITS", bits_of(capacity)) +
           define("KEY", has_short_keys ? "uint" : "ulong");
  }
};

// Returns the digits of words for the serial kernel: two, or four so that their counts stay small.
std::string digits_of(std::size_t word_count) {
  constexpr int kMostDigitBits = 10;
  const int bits = std::max(bits_of(word_count), 2);
  const int passes = bits <= 2 * kMostDigitBits ? 2 : 4;
  return define("PASSES", passes) + define("DIGIT_BITS", parts(bits, passes));
}

}  // namespace

std::vector<SortKernel> sort_kernels(const OpenClSession& session, std::size_t word_count,
                                     std::size_t most_features) {
  std::vector<SortKernel> kernels = {SortKernel::kRank, SortKernel::kSerial};
  if (Network(word_count, most_features).bytes() <= session.device().local_memory_bytes) {
    kernels.insert(kernels.begin(), SortKernel::kBitonic);
  }
  if (session.is_cpu()) std::rotate(kernels.begin(), kernels.end() - 1, kernels.end());
  return kernels;
}

SortedHistograms::SortedHistograms(OpenClSession& session, std::size_t word_count,
                                   SortKernel kernel)
    : session_(session), word_count_(word_count), kernel_(kernel) {
  require(word_count >= 1 && word_count <= std::size_t{1} << 31U,
          "SortedHistograms: needs from 1 to 2^31 words");
}

const SortedHistograms::Features& SortedHistograms::sort(const cl::Buffer& words,
                                                         const cl::Buffer& signatures,
                                                         std::span<const std::uint32_t> offsets) {
  require(offsets.size() >= 2 && offsets.front() == 0 && offsets.back() >= 1 &&
              std::is_sorted(offsets.begin(), offsets.end()),
          "SortedHistograms: offsets must rise from 0 to the number of features");
  const std::size_t images = offsets.size() - 1;
  const std::size_t n = offsets.back();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < images; ++i) {
    longest = std::max<std::size_t>(longest, offsets[i + 1] - offsets[i]);
  }
  const SortKernel chosen = select_variant(session_, "sorted_histogram", {{"features", longest}},
                                           sort_kernels(session_, word_count_, longest), kernel_);
  words_.reserve(session_, n * sizeof(std::uint32_t));
  signatures_.reserve(session_, n * sizeof(std::uint64_t));
  numbers_.reserve(session_, n * sizeof(std::uint32_t));
  sorted_ = {words_.buffer, signatures_.buffer, numbers_.buffer};
  const cl::Buffer starts = session_.upload(offsets);
  std::string options = define("GROUP_ITEMS", kSortGroupItems);
  if (chosen == SortKernel::kBitonic) options += Network(word_count_, longest).options();
  if (chosen == SortKernel::kSerial) options += digits_of(word_count_);
  const std::string name = "sort_" + std::string(to_string(chosen));
  cl::Kernel kernel = session_.kernel({"histogram/sorted.cl"}, name, options);
  set_arguments(kernel, words, signatures, starts, words_.buffer, signatures_.buffer,
                numbers_.buffer);
  constexpr cl_uint kLast = 6;  // the argument that only some kernels have
  if (chosen == SortKernel::kSerial) {
    spare_.reserve(session_, n * sizeof(std::uint32_t));
    kernel.setArg(kLast, spare_.buffer);
    session_.launch(kernel, name, {images}, {{1}});
  } else if (chosen == SortKernel::kBitonic) {
    session_.launch(kernel, name, {images * kSortGroupItems}, {{kSortGroupItems}});
  } else {
    const std::size_t groups = parts(longest, kSortGroupItems);
    kernel.setArg(kLast, to_uint(groups));
    session_.launch(kernel, name, {images * groups * kSortGroupItems}, {{kSortGroupItems}});
  }
  return sorted_;
}

}  // namespace lookalike
