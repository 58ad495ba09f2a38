#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "storage/byte_stream.h"
#include "storage/index_types.h"
#include "storage/sqlite.h"

// The blobs in the index's tables; storage/FORMATS.md has their bytes. Each ends in a checksum.
// The same input gives the same bytes. Decoding throws Error(kStorage) for a damaged blob; encoding
// throws Error(kInternal) for input that breaks its contract.
namespace lookalike {

// Throws Error(kStorage) unless the checksum of the blob, of any kind, is right.
void check_blob(ByteView blob);

// The postings of one word in one segment: images ascending, one entry per feature.
Bytes encode_postings(std::span<const ImageId> images, std::span<const std::uint64_t> signatures);
// Appends to the postings.
void decode_postings(ByteView blob, WordPostings& postings);

// A posting list as encode_postings() wrote it, in memory that others own, to be scanned as it
// stands.
class EncodedPostings {
 public:
  // Of a blob without its checksum, by an index that numbers its images so. Throws Error(kStorage)
  // for one that ends early.
  explicit EncodedPostings(ByteView payload, ImageNumbers numbers = {});

  ByteView payload() const { return payload_; }
  ImageNumbers numbers() const { return numbers_; }
  std::size_t size() const { return count_; }
  // u64 [size()], little-endian and not aligned.
  const std::uint8_t* signatures() const { return signatures_; }

  // Reads the images of a list from its start.
  class Images {
   public:
    explicit Images(const EncodedPostings& list)
        : next_(list.images_), end_(list.signatures_), numbers_(list.numbers_) {}
    // Decodes the next `count` images. Returns how many of them differ from the one before, that
    // of the call before included. Throws Error(kStorage) past the end.
    std::size_t read(ImageId* images, std::size_t count);

   private:
    std::size_t read_one(ImageId& image);

    const std::uint8_t* next_;
    const std::uint8_t* end_;
    const ImageNumbers numbers_;
    std::uint32_t last_ = 0;  // as it is stored
  };

 private:
  ByteView payload_;
  ImageNumbers numbers_;
  std::size_t count_;
  const std::uint8_t* images_;
  const std::uint8_t* signatures_;
};

// Throws Error(kStorage) unless the blob is undamaged.
EncodedPostings open_postings(ByteView blob, ImageNumbers numbers = {});

// Rounding of a forward record. Positions: 1/65535 of the longer side, from the outer corner of the
// top-left pixel; those outside the image are clamped to its edge.
inline constexpr double kPositionSteps = 65535;
// Sizes: 1023 steps of the same ratio, so the error stays below 0.62 %; others are clamped.
inline constexpr double kSmallestSize = 0.25;  // px
inline constexpr double kLargestSize = 65536;  // px
inline constexpr double kSizeSteps = 1023;
// Angles: steps of 0.088 degrees.
inline constexpr double kAngleSteps = 4096;

// The forward record of an image: features by word. longer_side_px >= 1 is the larger of width and
// height. Re-encoding what was decoded gives the same bytes.
Bytes encode_features(std::span<const IndexedFeature> features, std::uint32_t longer_side_px);
std::vector<IndexedFeature> decode_features(ByteView blob);

// Words ascending, counts positive.
Bytes encode_histogram(std::span<const WordCount> histogram);
SparseHistogram decode_histogram(ByteView blob);

// A matrix of the codebook.
Bytes encode_floats(std::span<const float> values);
std::vector<float> decode_floats(ByteView blob);

// The cells of a codebook, at least one: the same payload in the index and in an artefact file. get
// fails the reader where the cells do not fit the words.
void put_cells(ByteWriter& out, const WordCells& cells);
WordCells get_cells(ByteReader& in, std::size_t words, std::size_t descriptor_size);
// Nothing where there are none.
Bytes encode_cells(const WordCells& cells);
WordCells decode_cells(ByteView blob, std::size_t words, std::size_t descriptor_size);

// Adds the index and what was being decoded to the error of a damaged blob:
// "FILE: postings of word 7 is too short".
template <typename Decode>
auto decode_named(const Connection& connection, const char* what, std::int64_t number,
                  const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    throw Error(error.kind(), connection.path() + ": " + what + " " + std::to_string(number) + " " +
                                  error.what());
  }
}

}  // namespace lookalike
