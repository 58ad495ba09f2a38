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

struct ImagePair {
  ImageId image = 0;
  WordPair pair;
};

// The pairs of some words of a query with all images that were not removed.
struct SeenPairs {
  std::vector<QueryWord> words;               // sorted by word, then by feature
  std::vector<std::vector<ImagePair>> parts;  // query_word: number in `words`
};

// Returns the pairs of each image whose signatures are at most `hamming_threshold` bits apart, by
// ascending word, those of `seen` first. Reads the posting lists of the query's words, which are
// sorted by word, then by feature, on at most `threads` >= 1 threads. Images must differ.
//   seen  pairs that need not be looked for again: at the same threshold, of words of which some or
//         all are the query's
std::vector<std::vector<WordPair>> word_pairs(std::span<const QueryWord> words,
                                              std::span<const ImageId> images,
                                              const ForEachList& for_each_list,
                                              std::uint32_t hamming_threshold, std::size_t threads,
                                              const SeenPairs& seen = {});

}  // namespace lookalike
