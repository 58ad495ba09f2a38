// The index's blobs: the first byte says which kind, the rest is the payload; it is tried as it
// stands and with the checksum that random bytes never have. It is refused with Error(kStorage), or
// what it holds comes back from being written and read again.

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/content_hash.h"
#include "base/error.h"
#include "storage/blobs.h"
#include "storage/stored_features.h"
#include "tests/fuzz/fuzz_target.h"

namespace lookalike {
namespace {

constexpr std::int64_t kRow = 0;  // of the blobs

void read_postings(ByteView blob) {
  const EncodedPostings list = open_postings(blob, kRow);
  std::vector<ImageId> images(list.size());
  EncodedPostings::Images(list).read(images.data(), images.size());
  WordPostings postings;
  decode_postings(blob, postings, kRow);
  promise(images == postings.images);
  promise(postings.images.size() == postings.signatures.size());
  WordPostings again;
  decode_postings(encode_postings(postings.images, postings.signatures, kRow), again, kRow);
  promise(again.images == postings.images && again.signatures == postings.signatures);
}

void read_histogram(ByteView blob) {
  const StoredFeatures features = decode_histogram(blob, kRow);
  promise(std::ranges::is_sorted(features.words));
  for (const FeatureGeometry& feature : features.geometry) {
    promise(std::abs(feature.laplacian_sign) <= 1);
    promise(feature.angle_degrees >= 0 && feature.angle_degrees < 360 && feature.size > 0);
  }
  const auto longer_side =
      static_cast<std::uint32_t>(ByteReader(blob, ErrorKind::kStorage).get_varint());
  const std::vector<std::uint64_t> signatures(features.size());
  const auto whole = with_signatures(features, signatures);
  promise(decode_histogram(seal_blob(encode_histogram(whole, longer_side), kRow), kRow) ==
          features);
}

void read_floats(ByteView blob) {
  const Bytes again = encode_floats(decode_floats(blob));
  promise(std::ranges::equal(again, blob));  // bytes, for what is no number equals nothing
}

void read(std::uint8_t kind, ByteView blob) {
  try {
    switch (kind % 3) {
      case 0:
        return read_postings(blob);
      case 1:
        return read_histogram(blob);
      default:
        return read_floats(blob);
    }
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kStorage);
  }
}

}  // namespace
}  // namespace lookalike

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView payload(data + 1, size - 1);
  read(data[0], payload);
  ByteWriter sealed;
  sealed.put_array(payload.data(), payload.size());
  sealed.put<std::uint32_t>(static_cast<std::uint32_t>(checksum(payload)));
  read(data[0], sealed.view());
  return 0;
}
