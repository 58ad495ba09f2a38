#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/blobs.h"
#include "storage/index_types.h"
#include "storage/neighbours.h"
#include "storage/prints.h"

namespace lookalike {

class Connection;
class Shards;

// The part of an opened index that search reads: the posting lists of each word of the codebook
// (J. Zobel and A. Moffat, "Inverted Files for Text Search Engines", 2006), and the record of each
// image. An IndexReader is one.
class InvertedIndex {
 public:
  explicit InvertedIndex(std::shared_ptr<Shards> shards);

  Settings settings() const;
  Codebook codebook() const;                        // throws Error(kInput) if there is none yet
  std::optional<Codebook> stored_codebook() const;  // nothing if there is none yet

  // Visits the posting lists of a word, at most one for each segment, in no order. They lie in
  // memory that is valid until the visitor returns, and include postings of removed images. The
  // visitor must not call the reader.
  void for_each_list(std::uint32_t word,
                     const std::function<void(const EncodedPostings&)>& visit) const;
  // Calls visit(i, list) for each posting list of words[i], as above. The words ascend; those that
  // lie close together are read in one walk, which takes a fraction of the time of lookups.
  void for_each_list(
      std::span<const std::uint32_t> words,
      const std::function<void(std::size_t i, const EncodedPostings& list)>& visit) const;
  // Returns by image: true if its postings must be ignored, since it was removed or is a copy of an
  // image in an earlier database. Ends with the last such image.
  const std::vector<bool>& removed() const;
  // Returns by image: the norm of its histogram, sqrt of the sum of squared counts, if it is live
  // and not blank, else kNoNorm. Ends with the last such image.
  static constexpr float kNoNorm = -1;
  std::vector<float> norms() const;

  // Returns the live images that are not blank, by content.
  std::vector<ImageId> images_by_content() const;
  ContentHash content(ImageId image) const;  // of a live image
  // Returns the record of an image, empty for a blank or unknown one.
  StoredFeatures features(ImageId image) const;
  // Returns the features of images, ascending, with the signatures that their posting lists hold.
  // Reads each list of their words once.
  std::vector<std::vector<IndexedFeature>> features_with_signatures(
      std::span<const ImageId> images) const;

  // Returns the edges of an image in the neighbour graph, best first, those to removed images
  // included. A graph has the images of one database; a copy's edges are its original's.
  std::vector<Neighbour> neighbours(ImageId image) const;
  // Returns the edges of an image to others of its print, best first, as neighbours() does.
  std::vector<PrintEdge> prints(ImageId image) const;
  // Returns the images that have edges by prints(), ascending.
  std::vector<ImageId> images_with_prints() const;
  // Returns the images of the first database, ascending, whose neighbours were not looked for among
  // those before them. Blank images and those without features have none.
  std::vector<ImageId> images_to_compare() const;
  // Returns those of the first database, ascending, for which a live neighbour stands in.
  std::vector<ImageId> represented_images() const;

 private:
  // Calls visit(connection, image's own number, shard) for an image and its copies.
  template <typename Visit>
  void for_each_copy(ImageId image, const Visit& visit) const;

  std::shared_ptr<Shards> shards_;
};

// Returns the names of settings that differ or are missing on one side, in order.
std::vector<std::string> differing_settings(const Settings& one, const Settings& other);

// For code that reads one database without an IndexReader.
Settings read_settings(Connection& connection);
std::optional<Codebook> read_stored_codebook(Connection& connection);
// Returns the number of words in the codebook, nothing without one. Throws Error(kStorage) if the
// words do not have the size of that many.
std::optional<std::size_t> read_word_count(Connection& connection);

}  // namespace lookalike
