#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/artefacts.h"

namespace lookalike {

// XXH3-128 of the bytes, in its canonical (big-endian) form.
ContentHash hash_content(std::span<const std::uint8_t> bytes);

// XXH3-64 of the bytes. Method: Collet, xxHash, specification 0.2.
std::uint64_t checksum(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0);

// Rank of an image in the random order from which training takes its sample: seeded XXH3-64 of the
// content, independent of file names and folders.
std::uint64_t sample_rank(const ContentHash& content, std::uint64_t seed);

// Two lower-case hexadecimal digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

// The inverse of to_hex() for a content; nothing for any other text.
std::optional<ContentHash> content_from(std::string_view hex);

// For hashed containers: takes the first bytes of the content hash.
struct ContentHasher {
  std::size_t operator()(const ContentHash& content) const;
};

}  // namespace lookalike
