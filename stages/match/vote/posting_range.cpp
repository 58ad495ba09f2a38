#include "stages/match/vote/posting_range.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hamming.h"
#include "base/parallel.h"

namespace lookalike {

PostingRange::PostingRange(const ForEachList& for_each_list, const Words& words, ImageId first,
                           ImageId end, std::size_t threads)
    : first_(first),
      end_(end),
      words_(words.words.size()),
      parts_((words_ + kWordsAtOnce - 1) / kWordsAtOnce) {
  parallel_for(parts_.size(), threads, [&](std::size_t i) {
    const std::size_t begin = i * kWordsAtOnce;
    for (std::size_t word = begin; word < std::min(words_, begin + kWordsAtOnce); ++word) {
      read(for_each_list, words.words[word], words.removed, parts_[i]);
    }
    parts_[i].images.shrink_to_fit();
    parts_[i].signatures.shrink_to_fit();
  });
}

void PostingRange::read(const ForEachList& for_each_list, std::uint32_t word,
                        const std::vector<bool>& removed, Part& part) const {
  std::uint32_t frequency = 0;
  for_each_list(word, [&](const EncodedPostings& list) {
    EncodedPostings::Images decoder(list);
    std::array<ImageId, kSignatureBlock> block{};
    ImageId last = 0;  // before the first image
    for (std::size_t begin = 0; begin < list.size(); begin += block.size()) {
      const std::size_t size = std::min(block.size(), list.size() - begin);
      decoder.read(block.data(), size);
      for (std::size_t i = 0; i < size; ++i) {
        const ImageId image = block[i];
        if (image < removed.size() && removed[image]) continue;
        frequency += image != last ? 1 : 0;
        last = image;
        if (image < first_ || image >= end_) continue;
        part.images.push_back(image);
        std::uint64_t signature = 0;
        std::memcpy(&signature, list.signatures() + (begin + i) * sizeof signature,
                    sizeof signature);
        part.signatures.push_back(signature);
      }
    }
  });
  part.ends.push_back(part.images.size());
  part.frequencies.push_back(frequency);
}

PostingRange::List PostingRange::list(std::size_t word) const {
  const Part& part = parts_[word / kWordsAtOnce];
  const std::size_t place = word % kWordsAtOnce;
  const std::size_t begin = place == 0 ? 0 : part.ends[place - 1];
  const std::size_t size = part.ends[place] - begin;
  return {std::span(part.images).subspan(begin, size),
          std::span(part.signatures).subspan(begin, size)};
}

std::uint32_t PostingRange::frequency(std::size_t word) const {
  return parts_[word / kWordsAtOnce].frequencies[word % kWordsAtOnce];
}

}  // namespace lookalike
