#include "stages/decode/image_header.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "stages/decode/bytes.h"
#include "stages/decode/jpeg_markers.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";

// Reads the first frame, and the orientation in the first EXIF segment, 1 if that is damaged.
ImageHeader jpeg_header(ByteSpan bytes) {
  ImageHeader header{.format = ImageFormat::kJpeg};
  std::optional<ByteSpan> exif;
  JpegMarkers markers(bytes);
  while (markers.next() && !markers.at_scan()) {
    if (!exif) exif = markers.exif();
    if (!markers.at_frame() || header.width > 0) continue;
    header.width = markers.frame_width();
    header.height = markers.frame_height();
  }
  if (exif) header.orientation = exif_orientation(*exif).value_or(1);
  return header;
}

// The chunk tRNS, before the pixels, makes palette entries, a colour or a grey level transparent.
ImageHeader png_header(ByteSpan bytes) {
  if (!has_text(bytes, 12, "IHDR")) return {};  // libpng skips chunks before it
  ImageHeader header{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4), ImageFormat::kPng};
  if (bytes.size() <= 25) return header;
  const std::uint8_t bits = bytes[24];
  const std::uint8_t colour_type = bytes[25];
  header.has_alpha = (colour_type & 4) != 0;
  std::size_t chunk = kPngStart.size();
  while (chunk + 12 <= bytes.size() && !has_text(bytes, chunk + 4, "IDAT")) {
    if (has_text(bytes, chunk + 4, "tRNS")) {
      header.has_alpha = true;
      const std::uint64_t level = big_endian(bytes, chunk + 8, 2);
      const std::uint64_t scale = bits > 0 && bits < 8 ? 255 / ((1U << bits) - 1) : 1;
      if (colour_type == 0) header.transparent_level = static_cast<std::uint16_t>(level * scale);
    }
    chunk += 12 + big_endian(bytes, chunk, 4);
  }
  return header;
}

// WebP has three forms: lossy, lossless and extended.
ImageHeader webp_header(ByteSpan bytes) {
  if (has_text(bytes, 12, "VP8 ")) {
    return {little_endian(bytes, 26, 2) & 0x3fff, little_endian(bytes, 28, 2) & 0x3fff};
  }
  if (has_text(bytes, 12, "VP8L")) {
    const std::uint64_t packed = little_endian(bytes, 21, 4);
    return {.width = (packed & 0x3fff) + 1,
            .height = (packed >> 14 & 0x3fff) + 1,
            .has_alpha = (packed >> 28 & 1) != 0};
  }
  if (has_text(bytes, 12, "VP8X")) {
    const std::uint64_t flags = little_endian(bytes, 20, 1);
    return {.width = little_endian(bytes, 24, 3) + 1,
            .height = little_endian(bytes, 27, 3) + 1,
            .format = (flags & 0x02) != 0 ? ImageFormat::kAnimatedWebp : ImageFormat::kOther,
            .has_alpha = (flags & 0x10) != 0};
  }
  return {};
}

bool is_bmp(ByteSpan bytes) {
  return has_text(bytes, 0, "BM");
}

// Heights are negative where rows run from the top. The oldest headers have 12 bytes.
ImageHeader bmp_header(ByteSpan bytes) {
  if (little_endian(bytes, 14, 4) == 12) {
    return {little_endian(bytes, 18, 2), little_endian(bytes, 20, 2)};
  }
  const auto height = static_cast<std::int32_t>(little_endian(bytes, 22, 4));
  const std::int64_t wide = height;
  return {little_endian(bytes, 18, 4), static_cast<std::uint64_t>(wide < 0 ? -wide : wide)};
}

bool is_pnm(ByteSpan bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         (bytes[2] <= ' ' || bytes[2] == '#');
}

// "P5 # comment\n640 480 ..."; a comment ends at a line feed or carriage return.
ImageHeader pnm_header(ByteSpan bytes) {
  std::uint64_t values[2] = {0, 0};
  std::size_t at = 2;
  for (std::uint64_t& value : values) {
    while (at < bytes.size() && (bytes[at] <= ' ' || bytes[at] == '#')) {
      const bool comment = bytes[at] == '#';
      while (comment && at < bytes.size() && bytes[at] != '\n' && bytes[at] != '\r') ++at;
      if (at < bytes.size()) ++at;
    }
    for (; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9' && value < 1'000'000'000;
         ++at) {
      value = 10 * value + (bytes[at] - std::uint64_t{'0'});
    }
  }
  return {values[0], values[1]};
}

// Tags 256 (width), 257 (height), 262 (colour space, 2: RGB), 277 (samples per pixel) and 338 (what
// further samples are, 0: no alpha). Without the last, a fourth sample is taken for alpha, as in
// libtiff. Colours may be premultiplied, in the file or, with 8 bits, by libtiff: OpenCV does not
// divide them again. A tag that stands twice counts where it stands first, as in libtiff; a size of
// another type than SHORT or LONG, or of several numbers, is none.
ImageHeader tiff_header(ByteSpan bytes) {
  constexpr std::array<std::uint64_t, 5> kTags = {256, 257, 262, 277, 338};
  std::array<std::optional<std::uint64_t>, kTags.size()> found;
  const auto visit = [&](std::uint64_t tag, std::uint64_t count, std::uint64_t value,
                         std::size_t place) {
    const auto wanted = std::ranges::find(kTags, tag);
    if (wanted == kTags.end()) return;
    auto& first = found[static_cast<std::size_t>(wanted - kTags.begin())];
    const std::uint64_t type = first_directory(bytes).number(place - 6, 2);
    const bool is_size = tag <= 257;
    const bool is_number =
        (type == TiffDirectory::kShort || type == TiffDirectory::kLong) && (!is_size || count == 1);
    if (!first) first = is_size && !is_number ? 0 : value;
  };
  if (bytes.size() >= 8) first_directory(bytes).for_each_entry(visit);
  const auto [width, height, colour_space, samples, further] = found;
  return {.width = width.value_or(0),
          .height = height.value_or(0),
          .has_alpha = colour_space == 2U && samples.value_or(1) > 3 && further.value_or(1) != 0,
          .premultiplied = true};
}

// Marks of Fujifilm, Panasonic and Leica, Olympus (three), Sigma, Minolta, old and new Canon.
bool has_raw_mark(ByteSpan bytes) {
  struct Mark {
    std::size_t at;
    std::string_view text;
  };
  constexpr std::array<Mark, 9> kMarks = {{{0, "FUJIFILMCCD-RAW"},
                                           {0, {"IIU\0", 4}},
                                           {0, "IIRO"},
                                           {0, "IIRS"},
                                           {0, "MMOR"},
                                           {0, "FOVb"},
                                           {0, {"\0MRM", 4}},
                                           {6, "HEAPCCDR"},
                                           {4, "ftypcrx "}}};
  return std::ranges::any_of(kMarks,
                             [&](const Mark& mark) { return has_text(bytes, mark.at, mark.text); });
}

bool is_webp(ByteSpan bytes) {
  return has_text(bytes, 0, "RIFF") && has_text(bytes, 8, "WEBP");
}

// True if the box at the start names a brand of HEIC, AVIF or the formats that both follow. Videos
// begin with such a box, too.
bool is_heif(ByteSpan bytes) {
  constexpr std::array<std::string_view, 14> kBrands = {"heic", "heix", "heim", "heis", "hevc",
                                                        "hevx", "hevm", "hevs", "mif1", "mif2",
                                                        "msf1", "miaf", "avif", "avis"};
  if (!has_text(bytes, 4, "ftyp")) return false;
  const ByteSpan box = bytes.first(std::min<std::uint64_t>(bytes.size(), big_endian(bytes, 0, 4)));
  for (std::size_t at = 8; at < box.size(); at += at == 8 ? 8 : 4) {  // a version follows the first
    const auto is_here = [&](std::string_view brand) { return has_text(box, at, brand); };
    if (std::ranges::any_of(kBrands, is_here)) return true;
  }
  return false;
}

bool is_jpeg2000(ByteSpan bytes) {
  return has_text(bytes, 4, "jP  ") || has_text(bytes, 0, "\xff\x4f\xff\x51");
}

// Returns the place of the first codestream: the content of the first box `jp2c` (ISO/IEC 15444-1,
// annex I), or the start of a file without boxes. The end of the bytes without one, or behind more
// boxes than any file has.
std::size_t codestream(ByteSpan bytes) {
  constexpr int kMaxBoxes = 4096;
  if (!has_text(bytes, 4, "jP  ")) return 0;
  std::size_t at = 0;
  for (int boxes = 0; boxes < kMaxBoxes && at + 8 <= bytes.size(); ++boxes) {
    const std::uint64_t shown = big_endian(bytes, at, 4);
    const std::size_t head = shown == 1 ? 16 : 8;
    if (has_text(bytes, at + 4, "jp2c")) return at + head;
    const std::uint64_t size = shown == 1 ? big_endian(bytes, at + 8, 8) : shown;
    if (size < head || size > bytes.size() - at) break;  // 0 reaches to the end
    at += size;
  }
  return bytes.size();
}

// Reads the codestream's size, which decoding uses; the box around it may claim another.
ImageHeader jpeg2000_header(ByteSpan bytes) {
  constexpr std::string_view kSize = "\xff\x4f\xff\x51";  // start, then the marker segment SIZ
  const std::size_t start_of_stream = codestream(bytes);
  if (!has_text(bytes, start_of_stream, kSize)) return {};
  const std::size_t at = start_of_stream + kSize.size();
  const auto side = [&](std::size_t place) {
    const std::uint64_t end = big_endian(bytes, at + place, 4);
    const std::uint64_t start = big_endian(bytes, at + place + 8, 4);
    return end > start ? end - start : 0;
  };
  return {side(4), side(8)};
}

ImageHeader header_of(ByteSpan bytes) {
  if (has_text(bytes, 0, kJpegStart)) return jpeg_header(bytes);
  if (has_text(bytes, 0, kPngStart)) return png_header(bytes);
  if (is_webp(bytes)) return webp_header(bytes);
  if (is_bmp(bytes)) return bmp_header(bytes);
  if (is_tiff(bytes)) return tiff_header(bytes);
  if (is_jpeg2000(bytes)) return jpeg2000_header(bytes);
  if (is_pnm(bytes)) return pnm_header(bytes);
  return {};
}

bool png_ends_early(ByteSpan bytes) {
  std::size_t chunk = kPngStart.size();
  while (chunk + 12 <= bytes.size()) {
    if (has_text(bytes, chunk + 4, "IEND")) return false;
    chunk += 12 + big_endian(bytes, chunk, 4);
  }
  return true;
}

}  // namespace

ImageFormat format_of(std::span<const std::uint8_t> bytes) {
  if (has_text(bytes, 0, kJpegStart)) return ImageFormat::kJpeg;
  if (has_text(bytes, 0, kPngStart)) return ImageFormat::kPng;
  if (has_text(bytes, 0, "GIF8")) return ImageFormat::kGif;
  if (has_raw_mark(bytes) || is_raw_tiff(bytes)) return ImageFormat::kRaw;
  if (!is_webp(bytes) && is_heif(bytes)) return ImageFormat::kHeif;
  return is_webp(bytes) ? webp_header(bytes).format : ImageFormat::kOther;
}

bool begins_an_image(std::span<const std::uint8_t> bytes) {
  return format_of(bytes) != ImageFormat::kOther || is_webp(bytes) || is_bmp(bytes) ||
         is_tiff(bytes) || is_jpeg2000(bytes) || is_pnm(bytes);
}

std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes) {
  const ImageHeader header = header_of(bytes);
  if (header.width == 0 || header.height == 0) return std::nullopt;
  return header;
}

bool ends_early(std::span<const std::uint8_t> bytes) {
  if (has_text(bytes, 0, kPngStart)) return png_ends_early(bytes);
  if (!has_text(bytes, 0, kJpegStart)) return false;
  JpegMarkers markers(bytes);
  while (markers.next()) {
    if (markers.at_end()) return false;
  }
  return true;
}

}  // namespace lookalike
