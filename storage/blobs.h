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

// Blobs in the tables of an index; storage/FORMATS.md describes their bytes. Encoding is
// deterministic, and throws Error(kInternal) for input that breaks its contract. Each blob ends in
// a checksum, which depends on the number of its row, so that exchanged blobs are noticed; decoding
// throws Error(kStorage) for a damaged one.
namespace lookalike {

// Appends the checksum for a row to the bytes of a blob of any kind.
Bytes seal_blob(Bytes payload, std::int64_t row);
// Returns a blob without its checksum. Throws Error(kStorage) unless that is right.
ByteView open_blob(ByteView blob, std::int64_t row);

// Encodes the postings of one word in one segment: images ascending, one entry per feature.
Bytes encode_postings(std::span<const ImageId> images, std::span<const std::uint64_t> signatures,
                      std::int64_t row);
// Appends to the postings.
void decode_postings(ByteView blob, WordPostings& postings, std::int64_t row);

// View of an encoded posting list, scanned without decoding all of it.
class EncodedPostings {
 public:
  // Views a blob without its checksum; `numbers` maps its image ids to those of the whole index.
  // Throws Error(kStorage) if the blob ends early.
  explicit EncodedPostings(ByteView payload, ImageNumbers numbers = {});

  ByteView payload() const { return payload_; }
  ImageNumbers numbers() const { return numbers_; }
  std::size_t size() const { return count_; }
  // u64 [size()], little-endian, unaligned.
  const std::uint8_t* signatures() const { return signatures_; }

  // Reads the images of a list from its start.
  class Images {
   public:
    explicit Images(const EncodedPostings& list)
        : next_(list.images_), end_(list.signatures_), numbers_(list.numbers_) {}
    // Decodes the next `count` images. Returns how many of them differ from their predecessor,
    // which may have been read by an earlier call. Throws Error(kStorage) past the end.
    std::size_t read(ImageId* images, std::size_t count);

   private:
    std::size_t read_one(ImageId& image);

    const std::uint8_t* next_;
    const std::uint8_t* end_;
    const ImageNumbers numbers_;
    std::uint32_t last_ = 0;  // as stored
  };

 private:
  ByteView payload_;
  ImageNumbers numbers_;
  std::size_t count_;
  const std::uint8_t* images_;
  const std::uint8_t* signatures_;
};

// Throws Error(kStorage) unless the blob is undamaged.
EncodedPostings open_postings(ByteView blob, std::int64_t row, ImageNumbers numbers = {});

// Rounding of a record. Positions: 1/65535 of the longer side, from the outer corner of the
// top-left pixel, clamped to the image.
inline constexpr double kPositionSteps = 65535;
// Sizes: 1023 steps of equal ratio, clamped to the range; the error stays below 0.62 %.
inline constexpr double kSmallestSize = 0.25;  // px
inline constexpr double kLargestSize = 65536;  // px
inline constexpr double kSizeSteps = 1023;
// Angles: steps of 0.088 degrees.
inline constexpr double kAngleSteps = 4096;

// Encodes the record of an image, its histogram with the geometry of each feature; without their
// signatures. The features ascend by word. longer_side_px >= 1 is the larger of width and height.
// Re-encoding decoded features gives the same bytes. Without the checksum: see seal_blob().
Bytes encode_histogram(std::span<const IndexedFeature> features, std::uint32_t longer_side_px);
StoredFeatures decode_histogram(ByteView blob, std::int64_t row);

// Encodes a matrix of the codebook.
Bytes encode_floats(std::span<const float> values);
std::vector<float> decode_floats(ByteView blob);

// Writes the cells of a codebook, at least one: a part of its record and of its blob. get_cells()
// fails the reader if the cells do not fit the words.
void put_cells(ByteWriter& out, const WordCells& cells);
WordCells get_cells(ByteReader& in, std::size_t words, std::size_t descriptor_size);
// Returns an empty blob for no cells.
Bytes encode_cells(const WordCells& cells);
WordCells decode_cells(ByteView blob, std::size_t words, std::size_t descriptor_size);

// Calls decode(); errors name the index and the blob: "FILE: postings of word 7 is too short".
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
