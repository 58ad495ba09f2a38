#include "storage/blobs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/content_hash.h"

namespace lookalike {
namespace {

constexpr std::size_t kChecksumBytes = 4;
constexpr std::int64_t kNoRow = 0;  // of the codebook's blobs, of which there is one each

std::uint32_t short_checksum(ByteView payload, std::int64_t row) {
  return static_cast<std::uint32_t>(checksum(payload, static_cast<std::uint64_t>(row)));
}

// Ascending numbers are stored as differences, the first from 0. Each call advances `last`.
std::uint32_t get_next(ByteReader& in, std::uint32_t& last) {
  const std::uint64_t delta = in.get_varint();
  if (delta > std::numeric_limits<std::uint32_t>::max() - last)
    in.fail("has a number out of range");
  return last += static_cast<std::uint32_t>(delta);
}

void put_next(ByteWriter& out, std::uint32_t number, std::uint32_t& last) {
  require(number >= last, "encode: numbers are not ascending");
  out.put_varint(number - last);
  last = number;
}

// The smallest entries: a byte of difference, and a signature or the geometry.
constexpr std::size_t kMinPostingBytes = 1 + 8;
constexpr std::size_t kGeometryBytes = 4 + 3;
constexpr std::size_t kMinFeatureBytes = 1 + kGeometryBytes;

std::size_t get_count(ByteReader& in, std::size_t min_entry_bytes) {
  const std::uint64_t count = in.get_varint();
  in.require_entries(count, min_entry_bytes);
  return count;
}

// Rounds and clamps; refuses NaN.
std::uint32_t to_step(double value, double last_step) {
  require(!std::isnan(value), "encode_histogram: geometry is not a number");
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, last_step)));
}

std::uint16_t position_step(float px, std::uint32_t longer_side_px) {
  return static_cast<std::uint16_t>(
      to_step((px + 0.5) * kPositionSteps / longer_side_px, kPositionSteps));
}

float position_px(std::uint16_t step, std::uint32_t longer_side_px) {
  return static_cast<float>(step * double{1} * longer_side_px / kPositionSteps - 0.5);
}

// Size, angle and sign take 10, 12 and 2 bits of three bytes, from the lowest.
constexpr unsigned kAngleShift = 10;
constexpr unsigned kSignShift = 22;
constexpr std::uint32_t kSizeMask = (1U << kAngleShift) - 1;
constexpr std::uint32_t kAngleMask = (1U << (kSignShift - kAngleShift)) - 1;

double size_octaves() {
  return std::log2(kLargestSize / kSmallestSize);
}

std::uint32_t pack_shape(const IndexedFeature& feature) {
  require(feature.laplacian_sign >= -1 && feature.laplacian_sign <= 1,
          "encode_histogram: laplacian_sign is not -1, 0 or 1");
  require(std::isfinite(feature.angle_degrees), "encode_histogram: angle is not finite");
  const double octaves = std::log2(std::max<double>(feature.size, kSmallestSize) / kSmallestSize);
  const std::uint32_t size = to_step(octaves * kSizeSteps / size_octaves(), kSizeSteps);
  double turns = feature.angle_degrees / 360.0;
  turns -= std::floor(turns);
  const std::uint32_t angle = to_step(turns * kAngleSteps, kAngleSteps) & kAngleMask;
  const auto sign = static_cast<std::uint32_t>(feature.laplacian_sign + 1);
  return size | angle << kAngleShift | sign << kSignShift;
}

// Returns the size of each step, px.
std::array<float, kSizeMask + 1> sizes_of_steps() {
  std::array<float, kSizeMask + 1> sizes{};
  for (std::size_t step = 0; step < sizes.size(); ++step) {
    const double octaves = static_cast<double>(step) * size_octaves() / kSizeSteps;
    sizes[step] = static_cast<float>(kSmallestSize * std::exp2(octaves));
  }
  return sizes;
}

void unpack_shape(std::uint32_t shape, FeatureGeometry& feature) {
  static const std::array<float, kSizeMask + 1> sizes = sizes_of_steps();
  feature.size = sizes[shape & kSizeMask];
  feature.angle_degrees =
      static_cast<float>(((shape >> kAngleShift) & kAngleMask) * 360.0 / kAngleSteps);
  feature.laplacian_sign = static_cast<std::int32_t>(shape >> kSignShift) - 1;
}

}  // namespace

Bytes seal_blob(Bytes payload, std::int64_t row) {
  ByteWriter tail;
  tail.put<std::uint32_t>(short_checksum(payload, row));
  payload.insert(payload.end(), tail.view().begin(), tail.view().end());
  return payload;
}

ByteView open_blob(ByteView blob, std::int64_t row) {
  if (blob.size() < kChecksumBytes) throw Error(ErrorKind::kStorage, "is too short");
  const ByteView payload = blob.first(blob.size() - kChecksumBytes);
  ByteReader tail(blob.last(kChecksumBytes), ErrorKind::kStorage);
  if (tail.get<std::uint32_t>() != short_checksum(payload, row)) {
    throw Error(ErrorKind::kStorage, "is damaged: its checksum does not match");
  }
  return payload;
}

Bytes encode_postings(std::span<const ImageId> images, std::span<const std::uint64_t> signatures,
                      std::int64_t row) {
  require(images.size() == signatures.size(), "encode_postings: sizes differ");
  ByteWriter out;
  out.put_varint(images.size());
  std::uint32_t last = 0;
  for (const ImageId image : images) put_next(out, image, last);
  out.put_array(signatures.data(), signatures.size());
  return seal_blob(out.take(), row);
}

void decode_postings(ByteView blob, WordPostings& postings, std::int64_t row) {
  ByteReader in(open_blob(blob, row), ErrorKind::kStorage);
  const std::size_t count = get_count(in, kMinPostingBytes);
  const std::size_t before = postings.images.size();
  postings.images.resize(before + count);
  postings.signatures.resize(before + count);
  std::uint32_t last = 0;
  for (std::size_t i = before; i < before + count; ++i) postings.images[i] = get_next(in, last);
  in.get_array(postings.signatures.data() + before, count);
  in.require_end();
}

EncodedPostings::EncodedPostings(ByteView payload, ImageNumbers numbers)
    : payload_(payload), numbers_(numbers) {
  ByteReader in(payload, ErrorKind::kStorage);
  count_ = get_count(in, kMinPostingBytes);
  images_ = in.rest().data();
  signatures_ = in.rest().last(count_ * sizeof(std::uint64_t)).data();
}

std::size_t EncodedPostings::Images::read_one(ImageId& image) {
  std::uint32_t delta = 0;
  for (unsigned shift = 0; next_ < end_; shift += 7) {
    const std::uint8_t byte = *next_++;
    delta |= std::uint32_t{byte & 0x7FU} << shift;
    if (byte < 0x80U) {
      image = numbers_.of(last_ += delta);
      return delta != 0 ? 1 : 0;
    }
    if (shift == 28) break;
  }
  throw Error(ErrorKind::kStorage, "a posting list ends early");
}

// Decodes eight bytes at a time, which hold at most eight numbers.
std::size_t EncodedPostings::Images::read(ImageId* images, std::size_t count) {
  constexpr std::uint64_t kMore = 0x8080808080808080;
  const ImageNumbers numbers = numbers_;  // a local, which `images` cannot alias
  std::size_t changes = 0;
  std::size_t done = 0;
  while (done + 8 <= count && end_ - next_ >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, next_, sizeof bytes);
    if ((bytes & kMore) == 0) {
      for (int i = 0; i < 8; ++i, bytes >>= 8U) {
        const auto delta = static_cast<std::uint32_t>(bytes & 0xFFU);
        images[done++] = numbers.of(last_ += delta);
        changes += delta != 0 ? 1 : 0;
      }
      next_ += 8;
      continue;
    }
    int start = 0;  // bit of the number
    for (std::uint64_t ends = ~bytes & kMore; ends != 0; ends &= ends - 1) {
      const int end = std::countr_zero(ends) + 1;
      const std::uint64_t groups = bytes << (64 - end) >> (64 - end + start);
      const std::uint64_t delta = (groups & 0x7F) | (groups >> 1 & 0x3F80) |
                                  (groups >> 2 & 0x1FC000) | (groups >> 3 & 0xFE00000) |
                                  (groups >> 4 & 0xF0000000);
      images[done++] = numbers.of(last_ += static_cast<std::uint32_t>(delta));
      changes += delta != 0 ? 1 : 0;
      start = end;
    }
    if (start == 0) throw Error(ErrorKind::kStorage, "a posting list has a number out of range");
    next_ += start / 8;
  }
  for (; done < count; ++done) changes += read_one(images[done]);
  return changes;
}

EncodedPostings open_postings(ByteView blob, std::int64_t row, ImageNumbers numbers) {
  return EncodedPostings(open_blob(blob, row), numbers);
}

Bytes encode_histogram(std::span<const IndexedFeature> features, std::uint32_t longer_side_px) {
  require(longer_side_px >= 1, "encode_histogram: an image without pixels");
  ByteWriter out;
  constexpr std::size_t kUsualBytes = 9;  // of a feature: its word takes one or two
  out.reserve(kUsualBytes * (features.size() + 2));
  out.put_varint(longer_side_px);
  out.put_varint(features.size());
  std::uint32_t last = 0;
  for (const IndexedFeature& feature : features) put_next(out, feature.word, last);
  for (const IndexedFeature& feature : features) {
    const std::uint64_t geometry = std::uint64_t{position_step(feature.x, longer_side_px)} |
                                   std::uint64_t{position_step(feature.y, longer_side_px)} << 16U |
                                   std::uint64_t{pack_shape(feature)} << 32U;
    out.put_low_bytes(geometry, kGeometryBytes);
  }
  return out.take();
}

StoredFeatures decode_histogram(ByteView blob, std::int64_t row) {
  ByteReader in(open_blob(blob, row), ErrorKind::kStorage);
  const std::uint64_t longer_side = in.get_varint();
  if (longer_side == 0 || longer_side > std::numeric_limits<std::uint32_t>::max()) {
    in.fail("has an invalid image size");
  }
  const auto longer_side_px = static_cast<std::uint32_t>(longer_side);
  const std::size_t count = get_count(in, kMinFeatureBytes);
  StoredFeatures features{std::vector<std::uint32_t>(count), std::vector<FeatureGeometry>(count)};
  std::uint32_t last = 0;
  for (std::uint32_t& word : features.words) word = get_next(in, last);
  for (FeatureGeometry& feature : features.geometry) {
    feature.x = position_px(in.get<std::uint16_t>(), longer_side_px);
    feature.y = position_px(in.get<std::uint16_t>(), longer_side_px);
    const std::uint32_t low = in.get<std::uint16_t>();
    unpack_shape(low | std::uint32_t{in.get<std::uint8_t>()} << 16U, feature);
    if (feature.laplacian_sign > 1) in.fail("has an invalid sign");
  }
  in.require_end();
  return features;
}

Bytes encode_floats(std::span<const float> values) {
  ByteWriter out;
  out.put_array(values.data(), values.size());
  return seal_blob(out.take(), kNoRow);
}

std::vector<float> decode_floats(ByteView blob) {
  const ByteView payload = open_blob(blob, kNoRow);
  ByteReader in(payload, ErrorKind::kStorage);
  auto values = in.get_vector<float>(payload.size() / sizeof(float));
  in.require_end();
  return values;
}

void put_cells(ByteWriter& out, const WordCells& cells) {
  out.put<std::uint32_t>(cells.probes);
  out.put_count(cells.size());
  out.put_array(cells.starts.data(), cells.starts.size());
  out.put_array(cells.centres.data(), cells.centres.size());
}

WordCells get_cells(ByteReader& in, std::size_t words, std::size_t descriptor_size) {
  WordCells cells;
  cells.probes = in.get<std::uint32_t>();
  const std::size_t count = in.get<std::uint32_t>();
  cells.starts = in.get_vector<std::uint32_t>(count + 1);
  cells.centres = in.get_vector<float>(count * descriptor_size);
  if (!cells.fit(words, descriptor_size)) in.fail("has cells that do not fit its words");
  return cells;
}

Bytes encode_cells(const WordCells& cells) {
  if (cells.empty()) return {};
  ByteWriter out;
  put_cells(out, cells);
  return seal_blob(out.take(), kNoRow);
}

WordCells decode_cells(ByteView blob, std::size_t words, std::size_t descriptor_size) {
  if (blob.empty()) return {};
  ByteReader in(open_blob(blob, kNoRow), ErrorKind::kStorage);
  WordCells cells = get_cells(in, words, descriptor_size);
  in.require_end();
  return cells;
}

}  // namespace lookalike
