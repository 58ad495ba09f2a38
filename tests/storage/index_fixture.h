#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/blobs.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"
#include "tests/storage/encoded.h"
#include "tests/storage/samples.h"

namespace lookalike {

// An index with a codebook of 16 words and no images.
class IndexTest : public testing::Test {
 protected:
  IndexTest() { reopen(); }

  void reopen() {
    writer_.reset();
    writer_.emplace(database());
    writer_->set_codebook(sample_codebook(), {{"extract.octaves", "4"}});
  }
  std::filesystem::path database() const { return folder_ / "index.db"; }
  IndexReader reader() const { return IndexReader(database()); }

  // Publishes samples first to last as one batch.
  void publish(std::uint64_t first, std::uint64_t last) {
    std::vector<ImageToStore> batch;
    for (std::uint64_t number = first; number <= last; ++number) {
      batch.push_back(sample_to_store(number));
    }
    writer_->publish(encoded(batch));
  }
  void publish(const ImageToStore& image) { writer_->publish(encoded({&image, 1})); }
  void remove(std::uint64_t number) {
    const std::string path = sample_file(number).path;
    writer_->remove_paths({&path, 1});
  }

  // Returns the postings of a word without removed images, list after list.
  static WordPostings postings_of(const IndexReader& reader, std::uint32_t word) {
    const std::vector<bool>& removed = reader.removed();
    WordPostings postings;
    reader.for_each_list(word, [&](const EncodedPostings& list) {
      std::vector<ImageId> images(list.size());
      EncodedPostings::Images(list).read(images.data(), images.size());
      for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i] < removed.size() && removed[images[i]]) continue;
        std::uint64_t signature = 0;
        std::memcpy(&signature, list.signatures() + i * sizeof signature, sizeof signature);
        postings.images.push_back(images[i]);
        postings.signatures.push_back(signature);
      }
    });
    return postings;
  }

  // Returns the images in the postings of all words.
  static std::set<ImageId> posted(const IndexReader& reader) {
    std::set<ImageId> images;
    for (std::uint32_t word = 0; word < 16; ++word) {
      const WordPostings postings = postings_of(reader, word);
      images.insert(postings.images.begin(), postings.images.end());
    }
    return images;
  }
  // Returns the images and signatures of a word, sorted.
  static std::vector<std::pair<ImageId, std::uint64_t>> sorted_postings(const IndexReader& reader,
                                                                        std::uint32_t word) {
    const WordPostings postings = postings_of(reader, word);
    std::vector<std::pair<ImageId, std::uint64_t>> pairs;
    for (std::size_t i = 0; i < postings.images.size(); ++i) {
      pairs.emplace_back(postings.images[i], postings.signatures[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  TemporaryFolder folder_;
  std::optional<IndexWriter> writer_;
};

}  // namespace lookalike
