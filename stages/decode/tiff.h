#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/decode/bytes.h"

// The structure of TIFF, which EXIF data and the RAW files of many cameras share. Nothing reads
// past the bytes. Method: Adobe, TIFF Revision 6.0, section 2.
namespace lookalike {

// One directory of a TIFF file: a list of tags with their values.
struct TiffDirectory {
  ByteSpan file;
  std::size_t at = 0;  // place of its number of entries

  // Reads an integer in the byte order of the file.
  std::uint64_t number(std::size_t place, std::size_t count) const {
    return file[0] == 'I' ? little_endian(file, place, count) : big_endian(file, place, count);
  }

  // Calls visit(tag, count, value, place) for each entry: the value field read as SHORT or LONG,
  // and the field's place in the file. Stops where the bytes end.
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

  // Returns the place of the next directory; 0 at the end.
  std::size_t next() const { return number(at + 2 + 12 * number(at, 2), 4); }

  static constexpr std::uint64_t kShort = 3;
  static constexpr std::uint64_t kLong = 4;
};

// Returns the first directory of a file of at least 8 bytes.
TiffDirectory first_directory(ByteSpan file);

bool is_tiff(ByteSpan file);

// True if a TIFF file is a camera's RAW file. DNG (tag 50706) and CR2 have marks of their own.
// Other files name the camera (271), and their first directory is a smaller picture (254, bit 0) or
// has pixels in a form that only cameras write: as the sensor recorded them (262: 32803, 34892) or
// in the maker's compression (259).
bool is_raw_tiff(ByteSpan file);

// Returns the places of a TIFF file's pages, at most `at_most`: its directories in the order of
// their chain. After the first, leaves out smaller copies and masks of other pages (tag 254,
// NewSubfileType, bits 0 and 2). Empty for other formats, camera RAW files and BigTIFF. Nothing for
// files with more directories, or more entries in them, than are read: those that are made to take
// long.
std::optional<std::vector<std::size_t>> tiff_pages(ByteSpan file, std::size_t at_most);

// Makes a page the first of its file, so that readers read it.
void make_first_page(std::span<std::uint8_t> file, std::size_t page);

// Returns the orientation that EXIF data states (JEITA CP-3451, tag 274), as it is stored. The data
// begins with its byte order mark. Returns 1 without EXIF or without the tag; nothing when the
// tag's entry, or one before it, is cut off or points outside the data.
std::optional<int> exif_orientation(ByteSpan exif);

}  // namespace lookalike
