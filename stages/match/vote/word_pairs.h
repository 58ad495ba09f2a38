#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/match/vote/query_words.h"
#include "storage/index_types.h"
#include "storage/stored_features.h"

namespace lookalike {

// A query's word and a posting of an image that have the same word, and near signatures.
struct WordPair {
  std::uint32_t query_word = 0;  // number in IndexQuery::words
  std::uint32_t place = 0;       // in the image's run of postings, from 0
  std::uint32_t distance = 0;    // bits

  bool operator==(const WordPair&) const = default;
};

// A word pair and its image.
struct SeenPair {
  ImageId image = 0;
  WordPair pair;
};

// The pairs that a vote met, of all images that were not removed. Those of a word are complete, or
// left out.
struct SeenPairs {
  // Consecutive words and their pairs.
  struct Part {
    std::uint32_t first = 0;  // numbers in `words`
    std::uint32_t end = 0;
    std::vector<SeenPair> pairs{};  // query_word: number in `words`
  };
  std::vector<QueryWord> words;  // of the vote: sorted by word, then by feature
  std::vector<Part> parts;       // by ascending words
};

// Returns the pairs of each image whose signatures are at most `hamming_threshold` bits apart.
// Reads the posting lists of the query's words, which are sorted by word, then by feature, on at
// most `threads` >= 1 threads. Images must differ. Throws Error(kStorage) for a damaged list.
//   seen  pairs at the same threshold, which are not looked for again
std::vector<std::vector<WordPair>> word_pairs(std::span<const QueryWord> words,
                                              std::span<const ImageId> images,
                                              const ForEachList& for_each_list,
                                              std::uint32_t hamming_threshold, std::size_t threads,
                                              const SeenPairs& seen = {});

}  // namespace lookalike
