#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// TIFF files that OpenCV does not write.
namespace lookalike {

struct TiffForm {
  bool big = false;         // BigTIFF
  bool big_endian = false;  // "MM"
  std::uint16_t bits = 8;
  std::uint16_t kind = 1;          // tag 339. 1: whole numbers, 2: signed, 3: floats
  std::uint16_t colour_space = 1;  // tag 262
  std::uint16_t samples = 1;       // a pixel
  std::uint16_t orientation = 1;
  std::uint16_t maximum = 0;  // tag 281; 0: none
  std::uint16_t planes = 1;   // tag 284; 2: states that each sample has a plane of its own
};

// Appends an integer.
inline void put_number(std::vector<std::uint8_t>& file, bool big_endian, std::uint64_t value,
                       std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    file.push_back(static_cast<std::uint8_t>(value >> 8 * (big_endian ? bytes - 1 - i : i)));
  }
}

// A file of pages of one form and size, not compressed. The bytes of a page are its strip.
inline std::vector<std::uint8_t> tiff_file(const TiffForm& form, std::uint32_t width,
                                           std::uint32_t height,
                                           const std::vector<std::vector<std::uint8_t>>& pages) {
  constexpr std::uint16_t kShort = 3;
  constexpr std::uint16_t kLong = 4;
  const std::size_t place_bytes = form.big ? 8 : 4;
  const std::uint8_t order = form.big_endian ? 'M' : 'I';
  std::vector<std::uint8_t> file = {order, order};
  const auto put = [&](std::uint64_t value, std::size_t bytes) {
    put_number(file, form.big_endian, value, bytes);
  };
  put(form.big ? 43 : 42, 2);
  if (form.big) {
    put(8, 2);
    put(0, 2);
  }
  put(form.big ? 16 : 8, place_bytes);
  const std::size_t entries = form.maximum > 0 ? 13 : 12;
  const std::size_t directory = (form.big ? 8 : 2) + entries * (4 + 2 * place_bytes) + place_bytes;
  for (std::size_t page = 0; page < pages.size(); ++page) {
    const std::size_t shorts = file.size() + directory;  // those that no field holds
    const std::size_t listed = std::size_t{2} * form.samples;
    const std::size_t strip = shorts + 2 * listed;
    put(entries, form.big ? 8 : 2);
    const auto entry = [&](std::uint16_t tag, std::uint16_t type, std::uint64_t value) {
      put(tag, 2);
      put(type, 2);
      put(1, place_bytes);
      put(value, type == kShort ? 2 : 4);
      file.resize(file.size() + place_bytes - (type == kShort ? 2 : 4));
    };
    const auto list = [&](std::uint16_t tag, std::uint16_t value, std::size_t at) {
      if (form.samples == 1) return entry(tag, kShort, value);
      put(tag, 2);
      put(kShort, 2);
      put(form.samples, place_bytes);
      if (listed > place_bytes) return put(at, place_bytes);
      for (std::uint16_t i = 0; i < form.samples; ++i) put(value, 2);
      file.resize(file.size() + place_bytes - listed);
    };
    entry(256, kLong, width);
    entry(257, kLong, height);
    list(258, form.bits, shorts);
    entry(259, kShort, 1);
    entry(262, kShort, form.colour_space);
    entry(273, kLong, strip);
    entry(274, kShort, form.orientation);
    entry(277, kShort, form.samples);
    entry(278, kLong, height);
    entry(279, kLong, pages[page].size());
    if (form.maximum > 0) entry(281, kShort, form.maximum);
    entry(284, kShort, form.planes);
    list(339, form.kind, shorts + listed);
    put(page + 1 < pages.size() ? strip + pages[page].size() : 0, place_bytes);
    for (std::uint16_t i = 0; i < form.samples; ++i) put(form.bits, 2);
    for (std::uint16_t i = 0; i < form.samples; ++i) put(form.kind, 2);
    file.insert(file.end(), pages[page].begin(), pages[page].end());
  }
  return file;
}

}  // namespace lookalike
