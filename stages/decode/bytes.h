#pragma once

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

// Unsigned integer of `count` bytes; zero where the bytes end before it.
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

inline bool is_tiff(ByteSpan bytes) {
  return has_text(bytes, 0, "II*") || has_text(bytes, 0, {"MM\0*", 4});
}

// A TIFF file's directory.
struct TiffDirectory {
  ByteSpan file;
  std::size_t at = 0;  // of its number of entries

  std::uint64_t number(std::size_t place, std::size_t count) const {
    return file[0] == 'I' ? little_endian(file, place, count) : big_endian(file, place, count);
  }

  // Calls visit(tag, count, value, place) for each entry: with what its value field holds as SHORT
  // or LONG, and where that field is. Stops where the bytes end.
  template <typename Visit>
  void for_each_entry(const Visit& visit) const {
    const std::uint64_t entries = number(at, 2);
    for (std::uint64_t i = 0; i < entries; ++i) {
      const std::size_t entry = at + 2 + 12 * i;
      if (entry >= file.size()) return;
      visit(number(entry, 2), number(entry + 4, 4),
            number(entry + 8, number(entry + 2, 2) == kShort ? 2 : 4), entry + 8);
    }
  }
  // The place of the next directory; 0: none.
  std::size_t next() const { return number(at + 2 + 12 * number(at, 2), 4); }

  static constexpr std::uint64_t kShort = 3;
};

// The first directory of a file of at least 8 bytes.
inline TiffDirectory first_directory(ByteSpan file) {
  TiffDirectory header{file};
  header.at = header.number(4, 4);
  return header;
}

}  // namespace lookalike
