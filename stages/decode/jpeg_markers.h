#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "stages/decode/bytes.h"

namespace lookalike {

// Walks the marker segments of a JPEG. Skips entropy-coded data, in which 0xff is followed by zero
// or a restart marker, and thumbnails, which lie inside segments.
class JpegMarkers {
 public:
  explicit JpegMarkers(ByteSpan bytes) : bytes_(bytes) {}

  // Moves to the next marker; false at the end of the bytes.
  bool next() {
    while (at_ + 1 < bytes_.size()) {
      const auto* found = static_cast<const std::uint8_t*>(
          std::memchr(bytes_.data() + at_, 0xff, bytes_.size() - at_ - 1));
      if (found == nullptr) return false;
      at_ = static_cast<std::size_t>(found - bytes_.data()) + 1;
      marker_ = bytes_[at_];
      if (marker_ == 0xff) continue;  // a fill byte
      const bool stuffed = marker_ == 0x00;
      const bool alone = marker_ == 0x01 || (marker_ >= 0xd0 && marker_ <= 0xd8);
      if (stuffed || alone) continue;
      segment_ = at_ + 1;
      at_ = marker_ == kEnd ? segment_ : segment_ + length();
      return true;
    }
    return false;
  }

  std::uint8_t marker() const { return marker_; }
  bool at_end() const { return marker_ == kEnd; }
  bool at_frame() const {
    return marker_ >= 0xc0 && marker_ <= 0xcf && marker_ != 0xc4 && marker_ != 0xc8 &&
           marker_ != 0xcc;
  }
  bool at_scan() const { return marker_ == 0xda; }
  std::uint64_t frame_width() const { return big_endian(bytes_, segment_ + 5, 2); }
  std::uint64_t frame_height() const { return big_endian(bytes_, segment_ + 3, 2); }

  // Returns the EXIF data of this segment, from its byte order mark on; nothing for another
  // segment.
  std::optional<ByteSpan> exif() const {
    constexpr std::string_view kName("Exif\0\0", 6);
    if (marker_ != 0xe1 || !has_text(content(), 0, kName)) return std::nullopt;
    return content().subspan(kName.size());
  }

  // Returns the segment's bytes behind its length, as far as the file holds them.
  ByteSpan content() const {
    const ByteSpan rest = from(bytes_, segment_ + 2);
    return rest.first(std::min<std::size_t>(rest.size(), length() - 2));
  }
  // Returns the bytes behind the segment, or behind the end marker.
  ByteSpan behind() const { return from(bytes_, at_); }

 private:
  static constexpr std::uint8_t kEnd = 0xd9;
  std::size_t length() const { return std::max<std::size_t>(2, big_endian(bytes_, segment_, 2)); }

  ByteSpan bytes_;
  std::size_t at_ = 2;       // where the search continues
  std::size_t segment_ = 0;  // the marker's length field
  std::uint8_t marker_ = 0;
};

}  // namespace lookalike
