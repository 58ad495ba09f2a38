#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/artefacts.h"

namespace lookalike {

// Returns the XXH3-128 of the bytes, in its canonical (big-endian) form.
ContentHash hash_content(std::span<const std::uint8_t> bytes);

// Returns the same of bytes that come in parts. next_part() returns the next one, which is empty at
// the end.
ContentHash hash_parts(const std::function<std::span<const std::uint8_t>()>& next_part);

// Returns the XXH3-64 of the bytes. Method: Collet, xxHash, specification 0.2.
std::uint64_t checksum(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0);

// Returns a hash of a picture's size and of the sums over its decoded pixels. Equal pictures share
// it, and so does a picture's mirror image; others nearly never do.
std::uint64_t picture_key(std::int32_t width, std::int32_t height, const PixelSums& sums);

// Returns the rank of an image in the random order from which training takes its sample: seeded
// XXH3-64 of the content.
std::uint64_t sample_rank(const ContentHash& content, std::uint64_t seed);

// Returns two lower-case hexadecimal digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

// Inverse of to_hex() for a content hash; nothing for any other text.
std::optional<ContentHash> content_from(std::string_view hex);

// Hashes for containers: the first bytes of the content hash.
struct ContentHasher {
  std::size_t operator()(const ContentHash& content) const;
};

}  // namespace lookalike
