#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// Reads the box `iloc`, the places of the items of a HEIC or AVIF file, entry by entry. Numbers
// behind the end of the box are zero.
class LocationReader {
 public:
  struct Item {
    std::uint64_t id = 0;
    std::uint64_t method = 0;  // 0: places in the file, 1: in the box `idat`
    std::uint64_t parts = 0;
  };
  struct Part {
    std::size_t offset = 0;
    std::size_t length = 0;
  };

  explicit LocationReader(ByteSpan box)
      : box_(box), version_(big_endian(box, 0, 1)), widths_(big_endian(box, 4, 2)) {
    items_ = number(version_ < 2 ? 2 : 4);
  }

  // Returns the next item, of which the caller reads all parts; nothing at the end.
  std::optional<Item> next_item() {
    if (items_ == 0 || at_ >= box_.size()) return std::nullopt;
    --items_;
    Item item;
    item.id = number(version_ < 2 ? 2 : 4);
    item.method = version_ == 0 ? 0 : number(2) & 15;
    number(2);
    base_ = number(widths_ >> 4 & 15);
    item.parts = number(2);
    return item;
  }
  Part next_part() {
    number(version_ == 0 ? 0 : widths_ & 15);
    const std::size_t offset = base_ + number(widths_ >> 12);
    return {offset, number(widths_ >> 8 & 15)};
  }

 private:
  std::uint64_t number(std::size_t bytes) {
    at_ += bytes;
    return big_endian(box_, at_ - bytes, bytes);
  }

  ByteSpan box_;
  std::uint64_t version_;
  std::uint64_t widths_;  // in bytes, four bits each: offset, length, base, index
  std::size_t at_ = 6;
  std::uint64_t items_ = 0;
  std::uint64_t base_ = 0;
};

}  // namespace lookalike
