#include "stages/decode/raw_preview.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "stages/decode/bytes.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

// Limits for files that are made to take long.
constexpr std::size_t kMaxDirectories = 64;
constexpr std::size_t kMaxPreviews = 256;
constexpr std::size_t kMaxReadings = 4;  // of the whole file

struct EmbeddedJpeg {
  ByteSpan bytes;
  std::uint64_t pixels = 0;
  bool has_exif = false;
  bool is_cut = false;  // the file ends before it
};

// Returns the place of the next marker after entropy-coded data, in which 0xff is followed by zero
// or a restart marker; the end of the bytes without one.
std::size_t end_of_scan(ByteSpan bytes, std::size_t at) {
  while (at + 1 < bytes.size()) {
    const auto* found = static_cast<const std::uint8_t*>(
        std::memchr(bytes.data() + at, 0xff, bytes.size() - at - 1));
    if (found == nullptr) break;
    at = static_cast<std::size_t>(found - bytes.data());
    const std::uint8_t marker = bytes[at + 1];
    if (marker != 0x00 && marker != 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
    at += marker == 0xff ? 1 : 2;
  }
  return bytes.size();
}

// Returns the JPEG file that begins with these bytes; nothing for files cut short before their
// size, files that are not a sequence of segments, and lossless and 12-bit files, which hold a
// sensor's data. Sets `at` to the number of bytes read.
std::optional<EmbeddedJpeg> jpeg_at_start(ByteSpan bytes, std::size_t& at) {
  constexpr std::uint8_t kScan = 0xda;
  constexpr std::uint8_t kEnd = 0xd9;
  constexpr std::uint8_t kApp1 = 0xe1;
  EmbeddedJpeg jpeg;
  if (!has_text(bytes, 0, "\xff\xd8\xff")) return std::nullopt;
  at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xff) {
    const std::uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    const bool is_segment = marker >= 0xc0 && marker != kEnd && (marker < 0xd0 || marker > 0xd8);
    const std::uint64_t length = big_endian(bytes, at + 2, 2);
    if (!is_segment || length < 2) return std::nullopt;
    const bool is_frame = marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) {  // baseline, extended or progressive; in grey or in colour
      const std::uint64_t bits = big_endian(bytes, at + 4, 1);
      const std::uint64_t components = big_endian(bytes, at + 9, 1);
      if (marker > 0xc2 || bits != 8 || (components != 1 && components != 3)) return std::nullopt;
      jpeg.pixels = big_endian(bytes, at + 5, 2) * big_endian(bytes, at + 7, 2);
    }
    if (marker == kApp1 && has_text(bytes, at + 4, "Exif")) jpeg.has_exif = true;
    at += 2 + length;
    if (marker != kScan) continue;
    at = end_of_scan(bytes, at);
    if (at < bytes.size() && bytes[at + 1] == kEnd) {
      if (jpeg.pixels == 0) return std::nullopt;
      jpeg.bytes = bytes.first(at + 2);
      return jpeg;
    }
  }
  if (at + 4 <= bytes.size() || jpeg.pixels == 0) return std::nullopt;
  jpeg.bytes = bytes;
  jpeg.is_cut = true;
  return jpeg;
}

// Keeps the largest JPEG file that it has looked at; ties: the first.
class LargestJpeg {
 public:
  // Looks for a JPEG file at a place. Returns its number of bytes; 0 for none or a cut one.
  std::size_t look_at(ByteSpan file, std::size_t at) {
    if (at == 0 || at >= file.size() || is_exhausted(file)) return 0;
    std::size_t read = 0;
    const std::optional<EmbeddedJpeg> jpeg = jpeg_at_start(file.subspan(at), read);
    ++candidates_;
    read_ += std::min(read, file.size() - at);
    if (!jpeg) return 0;
    if (!jpeg_ || jpeg->pixels > jpeg_->pixels) jpeg_ = jpeg;
    return jpeg->is_cut ? 0 : jpeg->bytes.size();
  }
  bool is_exhausted(ByteSpan file) const {
    return candidates_ == kMaxPreviews || read_ > kMaxReadings * file.size();
  }
  const std::optional<EmbeddedJpeg>& jpeg() const { return jpeg_; }

 private:
  std::size_t candidates_ = 0;
  std::size_t read_ = 0;
  std::optional<EmbeddedJpeg> jpeg_;
};

struct Directories {
  int orientation = 1;             // tag 274 of the first directory
  std::uint64_t plain_pixels = 0;  // in the first, if a TIFF reader shows it (259: 1, 262: 2)
  // False where JPEG files that no directory names are tiles (324) or, in DNG (50706), thumbnails
  // that an editor keeps.
  bool may_hide_previews = true;
};

// Looks at the JPEG files that the directories of a TIFF-based file name (tag 513, Panasonic's 46)
// and at pictures of one strip (273) in JPEG (259: 6 or 7).
Directories look_at_directories(ByteSpan file, LargestJpeg& largest) {
  Directories result;
  std::vector<std::size_t> places = {first_directory(file).at};
  std::size_t offered = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TiffDirectory directory{file, places[i]};
    std::uint64_t compression = 0;
    std::uint64_t colour_space = 0;
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::size_t strip = 0;
    const std::size_t bytes = directory.place_bytes();
    const auto add = [&](std::size_t place) {
      if (++offered > kMaxDirectories || place == 0) return;
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    };
    directory.for_each_entry(
        [&](std::uint64_t tag, std::uint64_t count, std::uint64_t value, std::size_t place) {
          if (tag == 256) width = value;
          if (tag == 257) height = value;
          if (tag == 259) compression = value;
          if (tag == 262) colour_space = value;
          if (tag == 273 && count == 1) strip = value;
          if (tag == 274 && i == 0 && value <= 8) result.orientation = static_cast<int>(value);
          if (tag == 324 || tag == 50706) result.may_hide_previews = false;
          if (tag == 513) largest.look_at(file, value);
          if (tag == 46) largest.look_at(file, value);
          if (tag == 330 && count == 1) add(value);
          if (tag != 330 || count == 1) return;
          for (std::uint64_t j = 0; j < count && offered < kMaxDirectories; ++j) {
            add(directory.number(directory.number(place, bytes) + bytes * j, bytes));
          }
        });
    if (compression == 6 || compression == 7) largest.look_at(file, strip);
    const bool is_shown = directory.number(2, 2) == 42 && compression == 1 && colour_space == 2;
    if (i == 0 && is_shown) result.plain_pixels = width * height;
    add(directory.next());
  }
  return result;
}

void scan_bytes(ByteSpan file, LargestJpeg& largest) {
  std::size_t at = 1;  // the file itself does not count
  while (at + 3 < file.size() && !largest.is_exhausted(file)) {
    const auto* found =
        static_cast<const std::uint8_t*>(std::memchr(file.data() + at, 0xff, file.size() - at - 3));
    if (found == nullptr) return;
    at = static_cast<std::size_t>(found - file.data());
    const std::size_t bytes = has_text(file, at, "\xff\xd8\xff") ? largest.look_at(file, at) : 0;
    at += std::max<std::size_t>(bytes, 1);
  }
}

// Returns the orientation of a CR3 file, from EXIF data in the box CMT1 near the start.
int orientation_of_boxes(ByteSpan file) {
  constexpr std::string_view kName = "CMT1";
  constexpr std::size_t kNear = 4096;
  const ByteSpan start = file.first(std::min(file.size(), kNear));
  const auto found = std::search(start.begin(), start.end(), kName.begin(), kName.end());
  if (found == start.end()) return 1;
  const auto at = static_cast<std::size_t>(found - start.begin()) + kName.size();
  return exif_orientation(file.subspan(at)).value_or(1);
}

// Inserts a segment APP1 that holds only an orientation.
std::vector<std::uint8_t> with_exif(ByteSpan jpeg, int orientation) {
  std::array<std::uint8_t, 36> segment = {
      0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,         // APP1, 34 bytes
      'M',  'M',  0, 42, 0,   0,   0,   8,                 // TIFF, the directory behind it
      0,    1,    1, 18, 0,   3,   0,   0,   0, 1, 0, 0};  // one entry: 274, one SHORT
  segment[29] = static_cast<std::uint8_t>(orientation);
  std::vector<std::uint8_t> file(jpeg.begin(), jpeg.end());
  file.insert(file.begin() + 2, segment.begin(), segment.end());
  return file;
}

}  // namespace

std::vector<std::uint8_t> raw_preview(std::span<const std::uint8_t> file) {
  if (file.size() < 8) return {};
  LargestJpeg largest;
  Directories directories;
  if (has_text(file, 0, "II") || has_text(file, 0, "MM")) {
    directories = look_at_directories(file, largest);
  } else {
    directories.orientation = orientation_of_boxes(file);
  }
  if (!largest.jpeg() && directories.may_hide_previews) scan_bytes(file, largest);
  if (!largest.jpeg() || largest.jpeg()->pixels <= directories.plain_pixels) return {};
  const EmbeddedJpeg& jpeg = *largest.jpeg();
  if (jpeg.has_exif || directories.orientation == 1) return {jpeg.bytes.begin(), jpeg.bytes.end()};
  return with_exif(jpeg.bytes, directories.orientation);
}

}  // namespace lookalike
