#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stages/decode/bytes.h"

// The structure of TIFF, which EXIF data and the RAW files of many cameras share. Nothing reads
// past the bytes. Method: Adobe, TIFF Revision 6.0, section 2.
namespace lookalike {

// One directory of a TIFF or BigTIFF file: a list of tags with their values.
struct TiffDirectory {
  ByteSpan file;
  std::size_t at = 0;  // place of its number of entries

  // BigTIFF, whose mark is 43, has places and counts of 8 bytes.
  bool is_big() const { return number(2, 2) == 43; }
  std::size_t place_bytes() const { return is_big() ? 8 : 4; }
  std::size_t entry_bytes() const { return 4 + 2 * place_bytes(); }

  // Reads an integer in the byte order of the file.
  std::uint64_t number(std::size_t place, std::size_t count) const {
    return file[0] == 'I' ? little_endian(file, place, count) : big_endian(file, place, count);
  }

  std::uint64_t entries() const { return number(at, is_big() ? 8 : 2); }
  std::size_t entry(std::uint64_t i) const { return at + (is_big() ? 8 : 2) + entry_bytes() * i; }

  // Calls visit(tag, count, value, place) for each entry: the value field read as SHORT, LONG or
  // LONG8, and the field's place in the file. Stops where the bytes end.
  template <typename Visit>
  void for_each_entry(const Visit& visit) const {
    const std::uint64_t count = entries();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t start = entry(i);
      if (start >= file.size()) return;
      const std::size_t place = start + 4 + place_bytes();
      visit(number(start, 2), number(start + 4, place_bytes()),
            number(place, value_bytes(number(start + 2, 2))), place);
    }
  }

  // Returns the first of an entry's values as SHORT, which lie in its field if they fit.
  std::uint64_t first_short(std::uint64_t count, std::size_t place) const {
    const bool fits = count <= place_bytes() / 2;
    return number(fits ? place : number(place, place_bytes()), 2);
  }

  // Returns the place of the next directory; 0 at the end.
  std::size_t next() const { return number(entry(entries()), place_bytes()); }

  static constexpr std::uint64_t kShort = 3;
  static constexpr std::uint64_t kLong = 4;
  static constexpr std::uint64_t kLong8 = 16;

 private:
  static std::size_t value_bytes(std::uint64_t type) {
    constexpr std::uint64_t kPlace8 = 18;
    return type == kShort ? 2 : type == kLong8 || type == kPlace8 ? 8 : 4;
  }
};

// What the first directory of a file says about its pixels.
struct TiffSamples {
  enum Kind : std::uint64_t { kWhole = 1, kSigned = 2, kFloat = 3 };  // tag 339, SampleFormat

  std::uint64_t width = 0;         // px; tag 256
  std::uint64_t height = 0;        // px; tag 257
  std::uint64_t bits = 1;          // of a sample; tag 258
  std::uint64_t colour_space = 0;  // tag 262. 0: grey, white is zero; 1: grey; 2: RGB
  std::uint64_t count = 1;         // samples a pixel; tag 277
  std::uint64_t maximum = 0;       // MaxSampleValue, tag 281; 0: not said
  bool is_planar = false;          // each sample in a plane of its own; tag 284
  bool may_have_alpha = true;      // tag 338 calls no further sample something else
  std::uint64_t kind = kWhole;
};

// Reads them. A tag that stands twice counts where it stands first, as in libtiff; a size of
// another type than SHORT, LONG or LONG8, or of several numbers, is none.
TiffSamples tiff_samples(ByteSpan file);

// Returns "of 3 samples of 16-bit floats", for messages.
std::string kind_of_samples(const TiffSamples& samples);

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
// NewSubfileType, bits 0 and 2). Empty for other formats and camera RAW files. Nothing for files
// with more directories, or more entries in them, than are read: those that are made to take long.
std::optional<std::vector<std::size_t>> tiff_pages(ByteSpan file, std::size_t at_most);

// Makes a page the first of its file, so that readers read it.
void make_first_page(std::span<std::uint8_t> file, std::size_t page);

// Returns the orientation that EXIF data states (JEITA CP-3451, tag 274), as it is stored. The data
// begins with its byte order mark. Returns 1 without EXIF or without the tag; nothing when the
// tag's entry, or one before it, is cut off or points outside the data.
std::optional<int> exif_orientation(ByteSpan exif);

}  // namespace lookalike
