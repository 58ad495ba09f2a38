#include "stages/decode/image_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <string_view>

#include "stages/decode/bytes.h"
#include "stages/decode/jpeg_markers.h"
#include "stages/decode/pnm.h"
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
  if (bits == 16) header.deep = ValueRange{};
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

// Returns the orientation in the chunk EXIF of an extended WebP file, 1 if that is damaged. Some
// programs write the name of JPEG's segment before the data.
int webp_orientation(ByteSpan bytes) {
  constexpr std::string_view kName("Exif\0\0", 6);
  constexpr std::size_t kFirstChunk = 12;
  for (std::size_t at = kFirstChunk; at + 8 <= bytes.size();) {
    const std::uint64_t length = little_endian(bytes, at + 4, 4);
    const ByteSpan content = from(bytes, at + 8);
    if (has_text(bytes, at, "EXIF")) {
      const ByteSpan exif = content.first(std::min<std::size_t>(content.size(), length));
      return exif_orientation(from(exif, has_text(exif, 0, kName) ? kName.size() : 0)).value_or(1);
    }
    at += 8 + length + length % 2;
  }
  return 1;
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
            .has_alpha = (flags & 0x10) != 0,
            .orientation = (flags & 0x08) != 0 ? webp_orientation(bytes) : 1};
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

ImageHeader pnm_header(ByteSpan bytes) {
  const PnmHeader pnm = read_pnm_header(bytes).value_or(PnmHeader{});
  ImageHeader header{.width = pnm.width, .height = pnm.height, .format = ImageFormat::kPnm};
  if (pnm.maximum > 255) header.deep = ValueRange{};
  return header;
}

bool has_deep_planes(const TiffSamples& samples) {
  return samples.is_planar && samples.count > 1 && samples.bits > 8;
}

// Returns the value range of a TIFF in grey or RGB that OpenCV would scale wrongly: 10, 12 and 14
// bits, which it scales to 16; as many in 16 by tag 281 (MaxSampleValue), unless that is a mere
// statistic; signed numbers and floats. Returns none where it would mix up planes of more than 8
// bits.
std::optional<ValueRange> tiff_range(const TiffSamples& samples) {
  const bool white_is_zero = samples.colour_space == 0;
  if (samples.colour_space > 2 || has_deep_planes(samples)) return std::nullopt;
  if (samples.kind != TiffSamples::kWhole) return ValueRange{0, white_is_zero};
  if (samples.bits == 10 || samples.bits == 12 || samples.bits == 14) {
    return ValueRange{65535, white_is_zero};
  }
  const bool is_a_depth = samples.maximum > 255 && std::has_single_bit(samples.maximum + 1);
  if (samples.bits != 16 || !is_a_depth || samples.maximum >= 65535) return std::nullopt;
  return ValueRange{static_cast<double>(samples.maximum), white_is_zero};
}

// A fourth sample is taken for alpha where tag 338 does not say otherwise, as in libtiff. Colours
// may be premultiplied, in the file or, with 8 bits, by libtiff: OpenCV does not divide them again.
ImageHeader tiff_header(ByteSpan bytes) {
  const TiffSamples samples = tiff_samples(bytes);
  ImageHeader header{.width = samples.width,
                     .height = samples.height,
                     .has_alpha = samples.colour_space == 2 && samples.count > 3 &&
                                  samples.may_have_alpha && !has_deep_planes(samples),
                     .premultiplied = true,
                     .range = tiff_range(samples)};
  const bool has_levels = samples.kind == TiffSamples::kWhole && samples.colour_space <= 2;
  if (has_levels && samples.bits == 16 && !header.range && !has_deep_planes(samples)) {
    header.deep = ValueRange{.white_is_zero = samples.colour_space == 0};
  }
  return header;
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

struct Jpeg2000Parts {
  std::size_t codestream = 0;  // place of the first one
  int orientation = 1;
};

// Finds the content of the first box `jp2c` (ISO/IEC 15444-1, annex I), or the start of a file
// without boxes, and EXIF in a box `uuid`. The codestream is at the end of the bytes without one,
// or behind more boxes than any file has.
Jpeg2000Parts jpeg2000_parts(ByteSpan bytes) {
  constexpr int kMaxBoxes = 4096;
  constexpr std::string_view kExif = "uuidJpgTiffExif->JP2";
  Jpeg2000Parts parts;
  if (!has_text(bytes, 4, "jP  ")) return parts;
  parts.codestream = bytes.size();
  std::size_t at = 0;
  for (int boxes = 0; boxes < kMaxBoxes && at + 8 <= bytes.size(); ++boxes) {
    const std::uint64_t shown = big_endian(bytes, at, 4);
    const std::size_t head = shown == 1 ? 16 : 8;
    if (has_text(bytes, at + 4, "jp2c")) parts.codestream = std::min(parts.codestream, at + head);
    if (has_text(bytes, at + 4, kExif)) {
      parts.orientation = exif_orientation(from(bytes, at + 4 + kExif.size())).value_or(1);
    }
    const std::uint64_t size = shown == 1 ? big_endian(bytes, at + 8, 8) : shown;
    if (size < head || size > bytes.size() - at) break;  // 0 reaches to the end
    at += size;
  }
  return parts;
}

// Reads the codestream's size, which decoding uses; the box around it may claim another.
ImageHeader jpeg2000_header(ByteSpan bytes) {
  constexpr std::string_view kSize = "\xff\x4f\xff\x51";  // start, then the marker segment SIZ
  const auto [start_of_stream, orientation] = jpeg2000_parts(bytes);
  if (!has_text(bytes, start_of_stream, kSize)) return {};
  const std::size_t at = start_of_stream + kSize.size();
  const auto side = [&](std::size_t place) {
    const std::uint64_t end = big_endian(bytes, at + place, 4);
    const std::uint64_t start = big_endian(bytes, at + place + 8, 4);
    return end > start ? end - start : 0;
  };
  ImageHeader header{.width = side(4), .height = side(8), .orientation = orientation};
  // Bits less one, and the sign above them, of the first component.
  const std::uint64_t precision = big_endian(bytes, at + 38, 1);
  if (precision > 7 && precision < 16) header.deep = ValueRange{};
  return header;
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

// The bits of a JPEG's coefficients that its scans have announced (ITU-T T.81, B.2.3 and G.1.1.1).
class AnnouncedCoefficients {
 public:
  // Takes the header of a frame. Arithmetic coding cannot tell its end from the data.
  void begin_frame(const JpegMarkers& markers) {
    if (!components_.empty()) return;
    is_progressive_ = markers.marker() == 0xc2;
    is_huffman_ = markers.marker() <= 0xc2;
    const ByteSpan content = markers.content();
    const std::uint64_t count = std::min<std::uint64_t>(4, big_endian(content, 5, 1));
    for (std::size_t i = 0; i < count; ++i)
      components_.push_back({big_endian(content, 6 + 3 * i, 1)});
  }

  void begin_scan(ByteSpan content) {
    const std::size_t count = std::min<std::uint64_t>(4, big_endian(content, 0, 1));
    const std::size_t first = is_progressive_ ? big_endian(content, 1 + 2 * count, 1) : 0;
    const std::size_t last = is_progressive_ ? big_endian(content, 2 + 2 * count, 1) : 63;
    const bool is_last_bit = !is_progressive_ || (big_endian(content, 3 + 2 * count, 1) & 15) == 0;
    for (Component& component : components_) {
      for (std::size_t i = 0; i < count; ++i) {
        if (big_endian(content, 1 + 2 * i, 1) != component.id) continue;
        for (std::size_t k = first; k <= last && k < 64; ++k) component.known[k] = is_last_bit;
      }
    }
  }

  bool are_all() const {
    const auto is_known = [](const Component& component) { return component.known.all(); };
    return is_huffman_ && !components_.empty() && std::ranges::all_of(components_, is_known);
  }

 private:
  struct Component {
    std::uint64_t id = 0;
    std::bitset<64> known{};  // by its place in zigzag order
  };
  std::vector<Component> components_;
  bool is_progressive_ = false;
  bool is_huffman_ = false;
};

bool jpeg_ends_early(ByteSpan bytes) {
  constexpr int kMostScans = 100;  // more are not read
  AnnouncedCoefficients announced;
  int scans = 0;
  JpegMarkers markers(bytes);
  while (markers.next()) {
    if (markers.at_end()) return false;
    if (markers.at_frame()) announced.begin_frame(markers);
    if (markers.at_scan() && ++scans <= kMostScans) announced.begin_scan(markers.content());
  }
  return !announced.are_all();
}

}  // namespace

ImageFormat format_of(std::span<const std::uint8_t> bytes) {
  if (has_text(bytes, 0, kJpegStart)) return ImageFormat::kJpeg;
  if (has_text(bytes, 0, kPngStart)) return ImageFormat::kPng;
  if (has_text(bytes, 0, "GIF8")) return ImageFormat::kGif;
  if (has_raw_mark(bytes) || is_raw_tiff(bytes)) return ImageFormat::kRaw;
  if (!is_webp(bytes) && is_heif(bytes)) return ImageFormat::kHeif;
  if (is_pnm(bytes)) return ImageFormat::kPnm;
  return is_webp(bytes) ? webp_header(bytes).format : ImageFormat::kOther;
}

bool begins_an_image(std::span<const std::uint8_t> bytes) {
  return format_of(bytes) != ImageFormat::kOther || is_webp(bytes) || is_bmp(bytes) ||
         is_tiff(bytes) || is_jpeg2000(bytes);
}

std::string_view kind_of_other_file(std::span<const std::uint8_t> bytes) {
  struct Mark {
    std::size_t at;
    std::string_view text;
    std::string_view kind;
  };
  constexpr std::array<Mark, 10> kMarks = {{{0, "%PDF-", "a PDF document"},
                                            {4, "ftyp", "a video"},
                                            {8, "AVI ", "a video"},
                                            {0, "\x1a\x45\xdf\xa3", "a video"},
                                            {0, {"\0\0\1\xba", 4}, "a video"},
                                            {0, "8BPS", "a Photoshop file"},
                                            {0, "<svg", "a drawing in SVG"},
                                            {0, "<!DOCTYPE", "a web page"},
                                            {0, "<!doctype", "a web page"},
                                            {0, "<html", "a web page"}}};
  const auto mark = std::ranges::find_if(
      kMarks, [&](const Mark& each) { return has_text(bytes, each.at, each.text); });
  return mark == kMarks.end() ? "" : mark->kind;
}

std::optional<ImageHeader> read_image_header(std::span<const std::uint8_t> bytes) {
  const ImageHeader header = header_of(bytes);
  if (header.width == 0 || header.height == 0) return std::nullopt;
  return header;
}

bool ends_early(std::span<const std::uint8_t> bytes) {
  return has_text(bytes, 0, kJpegStart) && jpeg_ends_early(bytes);
}

bool lacks_end_marker(ByteSpan jpeg) {
  JpegMarkers markers(jpeg);
  while (markers.next()) {
    if (markers.at_end()) return false;
  }
  return true;
}

}  // namespace lookalike
