#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

// Bounds-checked reading of file headers.
namespace lookalike {

using ByteSpan = std::span<const std::uint8_t>;

inline bool has_text(ByteSpan bytes, std::size_t at, std::string_view text) {
  return at <= bytes.size() && text.size() <= bytes.size() - at &&
         std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

// Returns the bytes from a place on; none behind the end.
inline ByteSpan from(ByteSpan bytes, std::size_t at) {
  return bytes.subspan(std::min(at, bytes.size()));
}

// Reads an unsigned integer of `count` bytes; zero if the bytes end before it does.
inline std::uint64_t big_endian(ByteSpan bytes, std::size_t at, std::size_t count) {
  if (bytes.size() < count || at > bytes.size() - count) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[at + i];
  return value;
}

inline std::uint64_t little_endian(ByteSpan bytes, std::size_t at, std::size_t count) {
  if (bytes.size() < count || at > bytes.size() - count) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

}  // namespace lookalike
