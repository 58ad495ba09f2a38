#include "kernels/histogram/histogram.h"

namespace lookalike {

std::vector<std::uint32_t> histogram_reference(std::span<const std::uint32_t> words,
                                               std::span<const std::uint32_t> offsets,
                                               std::size_t word_count) {
  std::vector<std::uint32_t> histograms((offsets.size() - 1) * word_count);
  for (std::size_t image = 0; image + 1 < offsets.size(); ++image) {
    for (std::size_t i = offsets[image]; i < offsets[image + 1]; ++i) {
      ++histograms[image * word_count + words[i]];
    }
  }
  return histograms;
}

}  // namespace lookalike
