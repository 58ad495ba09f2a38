#include "stages/match/vote/posting_range.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hamming.h"
#include "base/parallel.h"

namespace lookalike {

// The postings of a word that are kept.
struct PostingRange::WordPostings {
  std::vector<ImageId> images{};
  std::vector<std::uint64_t> signatures{};
  std::uint32_t frequency = 0;
};

PostingRange::PostingRange(const ForEachListOf& for_each_list, const Words& words, ImageId first,
                           ImageId end, std::size_t threads)
    : first_(first), end_(end), parts_((words.words.size() + kWordsAtOnce - 1) / kWordsAtOnce) {
  parallel_for(parts_.size(), threads, [&](std::size_t i) {
    const std::size_t begin = i * kWordsAtOnce;
    const std::size_t count = std::min(kWordsAtOnce, words.words.size() - begin);
    parts_[i] = read(for_each_list, words.words.subspan(begin, count), words.removed);
  });
}

PostingRange::Part PostingRange::read(const ForEachListOf& for_each_list,
                                      std::span<const std::uint32_t> words,
                                      const std::vector<bool>& removed) const {
  std::vector<WordPostings> of_words(words.size());
  for_each_list(
      words, [&](std::size_t i, const EncodedPostings& list) { add(list, removed, of_words[i]); });
  std::size_t size = 0;
  for (const WordPostings& word : of_words) size += word.images.size();
  Part part;
  part.images.reserve(size);
  part.signatures.reserve(size);
  for (const WordPostings& word : of_words) {
    part.images.insert(part.images.end(), word.images.begin(), word.images.end());
    part.signatures.insert(part.signatures.end(), word.signatures.begin(), word.signatures.end());
    part.ends.push_back(part.images.size());
    part.frequencies.push_back(word.frequency);
  }
  return part;
}

// Adds the postings of a list that lie in the range.
void PostingRange::add(const EncodedPostings& list, const std::vector<bool>& removed,
                       WordPostings& postings) const {
  EncodedPostings::Images decoder(list);
  std::array<ImageId, kSignatureBlock> block{};
  ImageId last = 0;  // before the first image
  for (std::size_t begin = 0; begin < list.size(); begin += block.size()) {
    const std::size_t size = std::min(block.size(), list.size() - begin);
    decoder.read(block.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      const ImageId image = block[i];
      if (image < removed.size() && removed[image]) continue;
      postings.frequency += image != last ? 1 : 0;
      last = image;
      if (image < first_ || image >= end_) continue;
      postings.images.push_back(image);
      std::uint64_t signature = 0;
      std::memcpy(&signature, list.signatures() + (begin + i) * sizeof signature, sizeof signature);
      postings.signatures.push_back(signature);
    }
  }
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
