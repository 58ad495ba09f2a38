#include "stages/decode/heif_size.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/decode/boxes.h"
#include "stages/decode/bytes.h"

namespace lookalike {
namespace {

// Bytes that may be examined beyond twice the file's size, since items may overlap. An item counts
// when it is found and when it is read; entries of tables count, too.
constexpr std::size_t kOverlapBytes = std::size_t{16} << 20U;

// Reads bits, zeros past the end.
class Bits {
 public:
  explicit Bits(ByteSpan bytes) : bytes_(bytes) {}

  std::uint64_t read(std::size_t count) {
    std::uint64_t value = 0;
    for (; count > 0; --count, ++at_) {
      const std::uint64_t byte = at_ / 8 < bytes_.size() ? bytes_[at_ / 8] : 0;
      value = value << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return value;
  }
  bool flag() { return read(1) != 0; }
  void skip(std::size_t count) { at_ += count; }

  // Reads an Exponential-Golomb code: HEVC's ue(v), AV1's uvlc().
  std::uint64_t golomb() {
    std::size_t zeros = 0;
    while (zeros < 31 && !flag()) ++zeros;
    return (std::uint64_t{1} << zeros) - 1 + read(zeros);
  }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
};

using ItemTypes = std::set<std::pair<std::uint64_t, std::string_view>>;  // (id, type)

// Reads seq_parameter_set_rbsp() after the header of its NAL unit (ITU-T H.265, 7.3.2.2).
CodedSize size_in_parameter_set(ByteSpan unit) {
  constexpr std::size_t kEnough = 256;  // profiles of eight layers take 90
  std::vector<std::uint8_t> bytes;      // without emulation prevention bytes
  for (std::size_t i = 2, zeros = 0; i < unit.size() && bytes.size() < kEnough; ++i) {
    if (zeros < 2 || unit[i] != 3) bytes.push_back(unit[i]);
    zeros = unit[i] == 0 ? zeros + 1 : 0;
  }
  Bits bits(bytes);
  bits.skip(4);
  const std::uint64_t layers = bits.read(3);
  constexpr std::size_t kProfileBits = 88;
  constexpr std::size_t kLevelBits = 8;
  bits.skip(1 + kProfileBits + kLevelBits);
  std::size_t of_layers = 0;
  for (std::uint64_t i = 0; i < layers; ++i) {
    if (bits.flag()) of_layers += kProfileBits;
    if (bits.flag()) of_layers += kLevelBits;
  }
  if (layers > 0) bits.skip(2 * (8 - layers));
  bits.skip(of_layers);
  bits.golomb();  // the set's id
  if (bits.golomb() == 3) bits.skip(1);
  const std::uint64_t width = bits.golomb();
  return {width, bits.golomb()};
}

// Reads sequence_header_obu() (AV1 Bitstream & Decoding Process Specification, 5.5.1).
CodedSize size_in_sequence_header(ByteSpan unit) {
  Bits bits(unit);
  bits.skip(4);
  if (bits.flag()) {  // reduced_still_picture_header
    bits.skip(5);
  } else {
    std::size_t delay_bits = 0;  // 0: no decoder model
    if (bits.flag()) {           // timing_info
      bits.skip(64);
      if (bits.flag()) bits.golomb();
      if (bits.flag()) {  // decoder_model_info
        delay_bits = bits.read(5) + 1;
        bits.skip(32 + 5 + 5);
      }
    }
    const bool has_display_delay = bits.flag();
    for (std::uint64_t points = bits.read(5) + 1; points > 0; --points) {
      bits.skip(12);
      if (bits.read(5) > 7) bits.skip(1);
      if (delay_bits > 0 && bits.flag()) bits.skip(2 * delay_bits + 1);
      if (has_display_delay && bits.flag()) bits.skip(4);
    }
  }
  const std::uint64_t width_bits = bits.read(4) + 1;
  const std::uint64_t height_bits = bits.read(4) + 1;
  const std::uint64_t width = bits.read(width_bits) + 1;
  return {width, bits.read(height_bits) + 1};
}

class Sizes {
 public:
  explicit Sizes(ByteSpan file) : file_(file), left_(2 * file.size() + kOverlapBytes) {}

  std::optional<CodedSize> largest() {
    for_each_box(file_, [&](std::string_view type, ByteSpan box) {
      if (type == "meta") look_at_items(from(box, 4));
    });
    return is_exhausted_ ? std::nullopt : std::optional(largest_);
  }

 private:
  void add(CodedSize size) {
    if (size.pixels() > largest_.pixels()) largest_ = size;
  }

  bool spend(std::size_t bytes) {
    if (bytes > left_) is_exhausted_ = true;
    left_ -= std::min(bytes, left_);
    return !is_exhausted_;
  }

  void look_at_items(ByteSpan meta) {
    ItemTypes types;
    ByteSpan own_data;
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      if (type == "iprp") look_at_properties(box);
      if (type == "idat" && own_data.empty()) own_data = box;
      if (type != "iinf") return;
      const std::size_t count_bytes = big_endian(box, 0, 1) == 0 ? 2 : 4;
      for_each_box(from(box, 4 + count_bytes), [&](std::string_view entry_type, ByteSpan entry) {
        const std::size_t id_bytes = big_endian(entry, 0, 1) < 3 ? 2 : 4;
        const std::size_t name = 4 + id_bytes + 2;
        if (entry_type != "infe" || name + 4 > entry.size() || !spend(64)) return;
        types.emplace(big_endian(entry, 4, id_bytes),
                      std::string_view(reinterpret_cast<const char*>(entry.data()) + name, 4));
      });
    });
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      if (type == "iloc") look_at_locations(box, own_data, types);
    });
  }

  // Looks at what configures decoders before an item's data: `hvcC` and `av1C`.
  void look_at_properties(ByteSpan properties) {
    for_each_box(properties, [&](std::string_view container, ByteSpan boxes) {
      if (container != "ipco") return;
      for_each_box(boxes, [&](std::string_view type, ByteSpan box) {
        if (type == "av1C") look_at_av1(from(box, 4));
        if (type != "hvcC") return;
        std::size_t at = 23;
        for (std::uint64_t arrays = big_endian(box, 22, 1); arrays > 0; --arrays) {
          std::uint64_t units = big_endian(box, at + 1, 2);
          for (at += 3; units > 0 && at < box.size(); --units) {
            const std::uint64_t bytes = big_endian(box, at, 2);
            look_at_unit(from(box, at + 2), bytes);
            at += 2 + bytes;
          }
        }
      });
    });
  }

  void look_at_locations(ByteSpan box, ByteSpan own_data, const ItemTypes& types) {
    LocationReader locations(box);
    while (const auto item = locations.next_item()) {
      const ByteSpan source = item->method == 0 ? file_ : own_data;
      std::vector<ByteSpan> parts;
      for (std::uint64_t count = item->parts; count > 0; --count) {
        const auto [offset, length] = locations.next_part();
        const ByteSpan rest = from(source, offset);
        parts.push_back(rest.first(std::min(length, rest.size())));
        if (!spend(16 + parts.back().size())) return;
      }
      // A file may give an item several types, of which readers take one: each is examined.
      for (auto type = types.lower_bound({item->id, {}});
           type != types.end() && type->first == item->id; ++type) {
        std::size_t bytes = 16;
        for (const ByteSpan part : parts) bytes += part.size();
        if (!spend(bytes)) return;
        look_at_item(type->second, parts);
      }
    }
  }

  void look_at_item(std::string_view type, const std::vector<ByteSpan>& parts) {
    std::vector<std::uint8_t> joined;
    if (parts.size() > 1) {
      for (const ByteSpan part : parts) joined.insert(joined.end(), part.begin(), part.end());
    }
    const ByteSpan data = parts.size() == 1 ? parts.front() : ByteSpan(joined);
    if (type == "av01") look_at_av1(data);
    if (type == "hvc1" || type == "hev1") {
      for (std::size_t at = 0; at < data.size();) {
        const std::uint64_t bytes = big_endian(data, at, 4);
        look_at_unit(from(data, at + 4), bytes);
        at += 4 + bytes;
      }
    }
    if (type == "grid" || type == "iovl") {
      const std::size_t bytes = (big_endian(data, 1, 1) & 1) != 0 ? 4 : 2;
      const std::size_t at = type == "grid" ? 4 : 10;
      add({big_endian(data, at, bytes), big_endian(data, at + bytes, bytes)});
    }
  }

  // Looks at a NAL unit of HEVC; decoders skip units of further layers.
  void look_at_unit(ByteSpan bytes, std::size_t count) {
    constexpr std::uint64_t kParameterSet = 33;
    const std::uint64_t header = big_endian(bytes, 0, 2);
    const bool is_base_layer = (header >> 3 & 63) == 0;
    if ((header >> 9 & 63) != kParameterSet || !is_base_layer) return;
    add(size_in_parameter_set(bytes.first(std::min(count, bytes.size()))));
  }

  void look_at_av1(ByteSpan bytes) {
    constexpr std::uint64_t kSequenceHeader = 1;
    while (!bytes.empty()) {
      const std::uint8_t header = bytes[0];
      bytes = from(bytes, (header & 4) != 0 ? 2 : 1);
      std::uint64_t size = bytes.size();
      if ((header & 2) != 0) {  // leb128()
        size = 0;
        std::size_t digits = 0;
        bool more = true;
        for (; more && digits < 8 && digits < bytes.size(); ++digits) {
          size |= (bytes[digits] & std::uint64_t{127}) << (7 * digits);
          more = (bytes[digits] & 128) != 0;
        }
        bytes = from(bytes, digits);
      }
      if ((header >> 3 & 15) == kSequenceHeader) {
        add(size_in_sequence_header(bytes.first(std::min<std::size_t>(size, bytes.size()))));
      }
      bytes = from(bytes, size);
    }
  }

  ByteSpan file_;
  std::size_t left_;
  bool is_exhausted_ = false;
  CodedSize largest_;
};

}  // namespace

std::optional<CodedSize> largest_coded_size(std::span<const std::uint8_t> file) {
  return Sizes(file).largest();
}

}  // namespace lookalike
