#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/artefacts.h"

namespace lookalike {

// XXH3-128 of the bytes, in its canonical (big-endian) form.
ContentHash hash_content(std::span<const std::uint8_t> bytes);

// Where an image stands in the order that training takes its sample in: XXH3-64 of the content,
// seeded. The order depends on neither names nor places.
std::uint64_t sample_rank(const ContentHash& content, std::uint64_t seed);

// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

// For hashed containers: the content is a hash already.
struct ContentHasher {
  std::size_t operator()(const ContentHash& content) const;
};

}  // namespace lookalike
