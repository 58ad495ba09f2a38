#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stages/decode/bytes.h"

// The boxes of ISO 14496-12, which HEIC, AVIF and videos consist of.
namespace lookalike {

// Calls visit(type, content) for each box. A box of size zero reaches to the end. Returns the bytes
// behind the last box.
template <typename Visit>
ByteSpan for_each_box(ByteSpan bytes, const Visit& visit) {
  while (bytes.size() >= 8) {
    std::uint64_t size = big_endian(bytes, 0, 4);
    const std::size_t header = size == 1 ? 16 : 8;
    if (size == 1) size = big_endian(bytes, 8, 8);
    if (size == 0 || size > bytes.size()) size = bytes.size();
    if (size < header) return bytes;
    visit(std::string_view(reinterpret_cast<const char*>(bytes.data()) + 4, 4),
          bytes.subspan(header, size - header));
    bytes = bytes.subspan(size);
  }
  return bytes;
}

}  // namespace lookalike
