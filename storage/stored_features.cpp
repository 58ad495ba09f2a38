#include "storage/stored_features.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::size_t kBlock = 64;  // postings decoded at once

// The features of one word and image.
struct Run {
  std::uint32_t word = 0;
  std::size_t place = 0;  // of the image, among the images
  std::size_t first = 0;  // feature of its record
  std::size_t count = 0;
};

std::vector<Run> runs_of(std::span<const StoredFeatures> records) {
  std::vector<Run> runs;
  for (std::size_t place = 0; place < records.size(); ++place) {
    const std::vector<std::uint32_t>& words = records[place].words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i == 0 || words[i] != words[i - 1]) runs.push_back({words[i], place, i, 0});
      ++runs.back().count;
    }
  }
  std::ranges::sort(runs, {}, [](const Run& run) { return std::tie(run.word, run.place); });
  return runs;
}

// Copies the signatures of a list's postings to those runs of its word whose images it holds.
// Returns the number of signatures.
std::size_t copy_signatures(const EncodedPostings& list, std::span<const Run> runs,
                            std::span<const ImageId> images,
                            std::vector<std::vector<std::uint64_t>>& signatures) {
  EncodedPostings::Images decoder(list);
  std::array<ImageId, kBlock> block{};
  std::size_t copied = 0;
  std::size_t of_run = 0;  // copied to the first of the runs
  for (std::size_t first = 0; first < list.size() && !runs.empty(); first += kBlock) {
    const std::size_t size = std::min(kBlock, list.size() - first);
    decoder.read(block.data(), size);
    if (block[size - 1] < images[runs.front().place]) continue;
    for (std::size_t i = 0; i < size && !runs.empty(); ++i) {
      while (!runs.empty() && images[runs.front().place] < block[i]) {
        runs = runs.subspan(1);
        of_run = 0;
      }
      if (runs.empty() || images[runs.front().place] != block[i]) continue;
      const Run& run = runs.front();
      if (of_run == run.count) throw Error(ErrorKind::kStorage, "a posting list has one too many");
      std::memcpy(&signatures[run.place][run.first + of_run],
                  list.signatures() + (first + i) * sizeof(std::uint64_t), sizeof(std::uint64_t));
      ++of_run;
      ++copied;
    }
  }
  return copied;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> read_signatures(const ForEachList& for_each_list,
                                                        std::span<const ImageId> images,
                                                        std::span<const StoredFeatures> records) {
  std::vector<std::vector<std::uint64_t>> signatures;
  for (const StoredFeatures& record : records) signatures.emplace_back(record.size());
  const std::vector<Run> runs = runs_of(records);
  for (std::size_t first = 0; first < runs.size();) {
    const std::uint32_t word = runs[first].word;
    std::size_t end = first;
    std::size_t wanted = 0;
    for (; end < runs.size() && runs[end].word == word; ++end) wanted += runs[end].count;
    const std::span<const Run> of_word(runs.data() + first, end - first);
    std::size_t found = 0;
    for_each_list(word, [&](const EncodedPostings& list) {
      found += copy_signatures(list, of_word, images, signatures);
    });
    if (found != wanted) {
      throw Error(ErrorKind::kStorage,
                  fmt::format("postings of word {}: {} are missing: run `lookalike check`", word,
                              wanted - found));
    }
    first = end;
  }
  return signatures;
}

std::vector<IndexedFeature> with_signatures(const StoredFeatures& features,
                                            std::span<const std::uint64_t> signatures) {
  require(features.size() == signatures.size(), "with_signatures: sizes differ");
  std::vector<IndexedFeature> joined;
  joined.reserve(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    const FeatureGeometry& at = features.geometry[i];
    joined.push_back({features.words[i], signatures[i], at.x, at.y, at.size, at.angle_degrees,
                      at.laplacian_sign});
  }
  return joined;
}

}  // namespace lookalike
