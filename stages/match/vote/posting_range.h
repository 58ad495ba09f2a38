#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/index_types.h"
#include "storage/stored_features.h"

namespace lookalike {

// The postings of consecutive images under some words, in memory.
class PostingRange {
 public:
  struct Words {
    std::span<const std::uint32_t> words;  // ascending
    const std::vector<bool>& removed;      // by image, perhaps shorter: images to leave out
  };
  // Reads the list of each word once, on at most `threads` >= 1 threads, and keeps the postings of
  // the images in [first, end). Throws as for_each_list.
  PostingRange(const ForEachListOf& for_each_list, const Words& words, ImageId first, ImageId end,
               std::size_t threads);

  // The postings of a word. Those of an image lie together, in the order of its record.
  struct List {
    std::span<const ImageId> images;
    std::span<const std::uint64_t> signatures;

    // Returns the number of a posting among those of its image.
    std::uint32_t place(std::size_t at) const {
      std::size_t first = at;
      while (first > 0 && images[first - 1] == images[at]) --first;
      return static_cast<std::uint32_t>(at - first);
    }
  };
  //   word  number of the word among those given
  List list(std::size_t word) const;
  // Returns the number of images of the whole index that have the word.
  std::uint32_t frequency(std::size_t word) const;
  ImageId first() const { return first_; }
  ImageId end() const { return end_; }

 private:
  static constexpr std::size_t kWordsAtOnce = 64;
  // The postings of kWordsAtOnce successive words.
  struct Part {
    std::vector<ImageId> images{};
    std::vector<std::uint64_t> signatures{};
    std::vector<std::size_t> ends{};  // of each word's postings
    std::vector<std::uint32_t> frequencies{};
  };

  struct WordPostings;

  Part read(const ForEachListOf& for_each_list, std::span<const std::uint32_t> words,
            const std::vector<bool>& removed) const;
  void add(const EncodedPostings& list, const std::vector<bool>& removed,
           WordPostings& postings) const;

  ImageId first_;
  ImageId end_;
  std::vector<Part> parts_;
};

}  // namespace lookalike
