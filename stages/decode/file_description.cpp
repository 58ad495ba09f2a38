#include "stages/decode/file_description.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <numeric>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "stages/decode/heif_description.h"
#include "stages/decode/image_header.h"
#include "stages/decode/jpeg_markers.h"
#include "stages/decode/pnm.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

constexpr std::array<std::string_view, 10> kCodecs = {
    "JPEG", "PNG",  "GIF", "WebP", "HEIC",
    "AVIF", "TIFF", "BMP", "PNM",  "file of a format that is not taken apart"};

// Texts by which XMP and Apple's maker announce a gain map or a depth map.
constexpr std::array<std::string_view, 3> kGainMapMarks = {"http://ns.adobe.com/hdr-gain-map/1.0/",
                                                           "http://ns.apple.com/HDRGainMap/",
                                                           "urn:iso:std:iso:ts:21496"};
constexpr std::array<std::string_view, 4> kDepthMarks = {
    "GDepth:", "http://ns.google.com/photos/dd/1.0/", ":Semantic=\"Depth",
    "http://ns.apple.com/depthData"};
constexpr std::array<std::string_view, 4> kXmpPayloads = {"GImage:Data", "GAudio:Data",
                                                          "GDepth:Data", "Camera:Image"};

// Describes what lies behind the end of a picture, unless it is padding.
void describe_trailer(ByteSpan rest, FileDescription& found) {
  constexpr std::array<std::string_view, 2> kVideoMarks = {"ftyp", "MotionPhoto_Data"};
  if (std::ranges::all_of(rest, [](std::uint8_t byte) { return byte == 0 || byte == 0xff; }))
    return;
  found.trailer_bytes = rest.size();
  found.trailer = hash_content(rest);
  if (has_any_text(rest, kVideoMarks)) found.has_video = true;
  if (has_any_text(rest, kGainMapMarks)) found.has_gain_map = true;
  if (has_any_text(rest, kDepthMarks)) found.has_depth = true;
}

class JpegFile {
 public:
  explicit JpegFile(ByteSpan bytes) : bytes_(bytes) {}

  FileDescription description() {
    found_.codec = Codec::kJpeg;
    std::size_t segments = 0;
    JpegMarkers markers(bytes_);
    while (markers.next() && !markers.at_end()) {
      if (++segments > kMostEntries) {
        found_.unknown = "more segments than are read";
        break;
      }
      look_at(markers);
    }
    if (markers.at_end()) describe_trailer(markers.behind(), found_);
    if (tables_[luma_table_]) found_.steps = tables_[luma_table_];
    return found_;
  }

 private:
  void look_at(const JpegMarkers& markers) {
    const ByteSpan content = markers.content();
    if (markers.exif()) return;
    if (markers.at_frame()) {
      found_.bits = static_cast<std::uint32_t>(big_endian(content, 0, 1));
      found_.has_colour = big_endian(content, 5, 1) >= 3;
      found_.is_lossless = markers.marker() == 0xc3;
      luma_table_ = big_endian(content, 8, 1) & 3;
    } else if (markers.marker() == 0xdb) {
      look_at_tables(content);
    } else if (markers.marker() >= 0xe0 && markers.marker() <= 0xef) {
      look_at_application(markers.marker() - 0xe0, content);
    }
  }

  void look_at_tables(ByteSpan content) {
    constexpr std::array<std::uint8_t, 64> kZigzag = {
        0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
    while (!content.empty()) {
      const std::size_t bytes = content[0] >> 4 == 0 ? 1 : 2;
      if (content.size() < 1 + 64 * bytes) return;
      auto& table = tables_[content[0] & 3].emplace();
      for (std::size_t i = 0; i < 64; ++i) {
        table[kZigzag[i]] = static_cast<std::uint16_t>(big_endian(content, 1 + i * bytes, bytes));
      }
      content = from(content, 1 + 64 * bytes);
    }
  }

  // Cameras and editors write these; what others write is unknown.
  void look_at_application(int number, ByteSpan content) {
    constexpr std::string_view kXmp = "http://ns.adobe.com/x";  // xap/1.0/ and xmp/extension/
    if (number == 1 && has_text(content, 0, kXmp)) {
      if (has_any_text(content, kGainMapMarks)) found_.has_gain_map = true;
      if (has_any_text(content, kDepthMarks)) found_.has_depth = true;
      if (has_any_text(content, kXmpPayloads)) found_.unknown = "a picture or sound in XMP";
    } else if (number == 2 && has_text(content, 0, {"MPF\0", 4})) {
      look_at_pictures(from(content, 4));
    } else if (number == 2 && has_text(content, 0, "urn:iso:std:iso:ts:21496")) {
      found_.has_gain_map = true;
    } else if (!is_harmless(number, content)) {
      found_.unknown = fmt::format("a JPEG segment APP{}", number);
    }
  }

  static bool is_harmless(int number, ByteSpan content) {
    return (number == 0 && (has_text(content, 0, "JFIF") || has_text(content, 0, "JFXX"))) ||
           (number == 2 && has_text(content, 0, "ICC_PROFILE")) || number == 12 ||
           (number == 13 && has_text(content, 0, "Photoshop")) ||
           (number == 14 && has_text(content, 0, "Adobe"));
  }

  // CIPA DC-007, Multi-Picture Format: tag 45057 states the number of pictures.
  void look_at_pictures(ByteSpan index) {
    if (index.size() < 8 || !is_tiff(index)) return;
    first_directory(index).for_each_entry(
        [&](std::uint64_t tag, std::uint64_t, std::uint64_t value, std::size_t) {
          if (tag == 45057) found_.pictures = std::max<std::uint64_t>(1, value);
        });
  }

  ByteSpan bytes_;
  FileDescription found_;
  std::array<std::optional<std::array<std::uint16_t, 64>>, 4> tables_;
  std::size_t luma_table_ = 0;
};

bool is_known_chunk(ByteSpan name) {
  constexpr std::array<std::string_view, 30> kKnown = {
      "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB",
      "cICP", "mDCV", "cLLI", "mDCv", "cLLi", "tEXt", "zTXt", "iTXt", "bKGD", "hIST",
      "pHYs", "sPLT", "eXIf", "tIME", "acTL", "fcTL", "fdAT", "oFFs", "pCAL", "iDOT"};
  return std::ranges::any_of(kKnown, [&](auto known) { return has_text(name, 0, known); });
}

bool is_grey_palette(ByteSpan colours) {
  for (std::size_t i = 0; i + 2 < colours.size(); i += 3) {
    if (colours[i] != colours[i + 1] || colours[i] != colours[i + 2]) return false;
  }
  return true;
}

void describe_png_header(ByteSpan content, FileDescription& found) {
  const std::uint64_t type = big_endian(content, 9, 1);
  found.bits = std::max<std::uint32_t>(8, static_cast<std::uint32_t>(big_endian(content, 8, 1)));
  found.has_colour = (type & 2) != 0;
  found.has_palette = type == 3;
  found.has_alpha = (type & 4) != 0;
}

FileDescription describe_png(ByteSpan bytes) {
  FileDescription found{.codec = Codec::kPng, .is_lossless = true};
  std::size_t others = 0;
  ByteSpan rest = from(bytes, 8);
  while (rest.size() >= 12) {
    const std::uint64_t length = big_endian(rest, 0, 4);
    const ByteSpan name = rest.subspan(4, 4);
    const ByteSpan content = from(rest, 8).first(std::min<std::size_t>(length, rest.size() - 8));
    rest = from(rest, 12 + length);
    if (has_text(name, 0, "IEND")) break;
    if (has_text(name, 0, "IDAT") || has_text(name, 0, "fdAT")) continue;
    if (++others > kMostEntries) {
      found.unknown = "more chunks than are read";
      return found;
    }
    if (has_text(name, 0, "IHDR")) describe_png_header(content, found);
    if (has_text(name, 0, "PLTE") && is_grey_palette(content)) found.has_colour = false;
    if (has_text(name, 0, "tRNS")) found.has_alpha = true;
    if (has_text(name, 0, "acTL"))
      found.frames = std::max<std::uint64_t>(1, big_endian(content, 0, 4));
    if (!is_known_chunk(name) && !content.empty()) {
      found.unknown = fmt::format("a PNG chunk {}", printable(text_of(name)));
    }
  }
  describe_trailer(rest, found);
  return found;
}

// Returns the bytes behind the sub-blocks of a GIF.
ByteSpan behind_blocks(ByteSpan bytes) {
  while (!bytes.empty() && bytes[0] != 0) bytes = from(bytes, std::size_t{1} + bytes[0]);
  return from(bytes, 1);
}

// Returns the size in bytes of the colour table that the flags of a GIF announce.
std::size_t colour_table_bytes(std::uint64_t flags) {
  return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

FileDescription describe_gif(ByteSpan bytes) {
  FileDescription found{.codec = Codec::kGif, .has_palette = true, .frames = 0};
  ByteSpan rest = from(bytes, 13 + colour_table_bytes(big_endian(bytes, 10, 1)));
  while (!rest.empty() && rest[0] != 0x3b) {
    if (rest[0] == 0x2c) {
      if (++found.frames > kMostEntries) break;
      rest = behind_blocks(from(rest, 11 + colour_table_bytes(big_endian(rest, 9, 1))));
    } else if (rest[0] == 0x21) {
      if (big_endian(rest, 1, 1) == 0xf9 && (big_endian(rest, 3, 1) & 1) != 0)
        found.has_alpha = true;
      rest = behind_blocks(from(rest, 2));
    } else {
      found.unknown = "a GIF block";
      return found;
    }
  }
  describe_trailer(from(rest, 1), found);
  return found;
}

bool has_any_name(ByteSpan chunk, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](auto name) { return has_text(chunk, 0, name); });
}

FileDescription describe_webp(ByteSpan bytes) {
  FileDescription found{.codec = Codec::kWebp, .frames = 0};
  ByteSpan rest = from(bytes, 12);
  std::size_t chunks = 0;
  const std::size_t riff_end = std::min<std::size_t>(bytes.size(), 8 + little_endian(bytes, 4, 4));
  rest = rest.first(std::max<std::size_t>(12, riff_end) - std::min<std::size_t>(12, bytes.size()));
  while (rest.size() >= 8) {
    if (++chunks > kMostEntries) {
      found.unknown = "more chunks than are read";
      return found;
    }
    const std::uint64_t length = little_endian(rest, 4, 4);
    const ByteSpan content = from(rest, 8).first(std::min<std::size_t>(length, rest.size() - 8));
    if (has_any_name(rest, {"VP8 ", "VP8L", "ALPH", "ANMF"})) found.picture_bytes += length;
    if (has_text(rest, 0, "ANMF")) {
      ++found.frames;
    } else if (has_text(rest, 0, "VP8L")) {
      found.is_lossless = true;
      found.has_alpha = (big_endian(content, 4, 1) >> 4 & 1) != 0;
    } else if (has_text(rest, 0, "VP8X")) {
      found.has_alpha = (big_endian(content, 0, 1) & 0x10) != 0;
    } else if (!has_any_name(rest, {"VP8 ", "ALPH", "ICCP", "EXIF", "XMP ", "ANIM"})) {
      found.unknown = fmt::format("a WebP chunk {}", printable(text_of(rest.first(4))));
    }
    rest = from(rest, 8 + length + length % 2);
  }
  found.frames = std::max<std::uint64_t>(1, found.frames);
  describe_trailer(from(bytes, riff_end), found);
  return found;
}

// Takes a file for a plain picture if it has one directory and no tag beyond kPlain.
FileDescription describe_tiff(ByteSpan bytes) {
  constexpr std::array<std::uint64_t, 50> kPlain = {
      254, 255, 256, 257, 258, 259, 262, 266, 269, 270, 271, 272, 273, 274, 277, 278, 279, 280, 281,
      282, 283, 284, 285, 296, 297, 301, 305, 306, 315, 316, 317, 318, 319, 320, 338, 339,
      // Profiles, and what metadata.h reads.
      700, 18246, 18249, 33432, 33723, 34377, 34665, 34675, 34853, 40091, 40092, 40093, 40094,
      40095};
  constexpr std::array<std::uint64_t, 6> kLossless = {1, 5, 8, 32773, 32946, 50000};
  FileDescription found{.codec = Codec::kTiff, .bits = 1};
  const TiffDirectory directory = first_directory(bytes);
  std::uint64_t samples = 1;
  directory.for_each_entry(
      [&](std::uint64_t tag, std::uint64_t count, std::uint64_t value, std::size_t place) {
        const auto first_short = [&] { return directory.first_short(count, place); };
        if (tag == 258) found.bits = static_cast<std::uint32_t>(first_short());
        if (tag == 259) found.is_lossless = std::ranges::find(kLossless, value) != kLossless.end();
        if (tag == 262) found.has_palette = value == 3;
        if (tag == 277) samples = value;
        if (tag == 338) found.has_alpha = true;
        if (tag == 339 && first_short() != 1) found.unknown = "pixels that are no plain numbers";
        if (std::ranges::find(kPlain, tag) == kPlain.end()) {
          found.unknown = fmt::format("a TIFF tag {}", tag);
        }
      });
  found.bits = std::max(8U, found.bits);
  found.has_colour = samples >= 3 || found.has_palette;
  const auto pages = tiff_pages(bytes, kMostEntries);
  if (!pages) found.unknown = "more pages than are read";
  found.pictures = std::max<std::size_t>(1, pages ? pages->size() : 1);
  if (found.pictures == 1 && directory.next() != 0) found.unknown = "a second picture";
  return found;
}

FileDescription describe_bmp(ByteSpan bytes) {
  FileDescription found{.codec = Codec::kBmp, .is_lossless = true};
  const std::uint64_t bits = little_endian(bytes, 28, 2);
  found.has_palette = bits > 0 && bits <= 8;
  found.has_alpha = bits == 32;
  return found;
}

FileDescription describe_pnm(ByteSpan bytes) {
  FileDescription found{.codec = Codec::kPnm, .is_lossless = true};
  const std::optional<PnmHeader> header = read_pnm_header(bytes);
  if (!header) return found;
  found.has_colour = header->has_colour();
  found.bits = header->maximum > 255 ? 16 : 8;
  return found;
}

bool behind_the_end(const FileDescription& file) {
  return file.trailer_bytes > 0 && file.frames == 1 && file.unknown.empty();
}

// Returns "holds 12 frames, the other holds 1", or what keeps equal numbers apart.
std::string counted(std::string_view what, std::uint64_t one, std::uint64_t other) {
  if (one == 0) return fmt::format("holds a sequence of {}", what);
  if (other > 0 && other < one)
    return fmt::format("holds {} {}, the other holds {}", one, what, other);
  return fmt::format("holds {} {}, which were not compared", one, what);
}

}  // namespace

std::string_view to_string(Codec codec) {
  return kCodecs[static_cast<std::size_t>(codec)];
}

bool has_any_text(ByteSpan bytes, std::span<const std::string_view> texts) {
  return std::ranges::any_of(texts, [&](std::string_view text) {
    return ::memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
  });
}

double FileDescription::mean_step() const {
  return steps ? std::accumulate(steps->begin(), steps->end(), 0.0) / 64 : 0;
}

int FileDescription::jpeg_quality() const {
  constexpr double kMeanAt50 = 57.625;  // of the example table in ITU-T T.81, K.1
  if (!steps) return 0;
  const double percent = 100 * mean_step() / kMeanAt50;
  const double quality = percent <= 100 ? 100 - percent / 2 : 5000 / percent;
  return std::clamp(static_cast<int>(std::lround(quality)), 1, 100);
}

FileDescription describe_file(std::span<const std::uint8_t> bytes) {
  const ImageFormat format = format_of(bytes);
  if (format == ImageFormat::kJpeg) return JpegFile(bytes).description();
  if (format == ImageFormat::kPng) return describe_png(bytes);
  if (format == ImageFormat::kGif) return describe_gif(bytes);
  if (format == ImageFormat::kHeif) return describe_heif(bytes);
  if (has_text(bytes, 0, "RIFF") && has_text(bytes, 8, "WEBP")) return describe_webp(bytes);
  if (format == ImageFormat::kRaw) return {.unknown = "the sensor's data"};
  if (is_tiff(bytes) && bytes.size() >= 8) return describe_tiff(bytes);
  if (has_text(bytes, 0, "BM")) return describe_bmp(bytes);
  if (is_pnm(bytes)) return describe_pnm(bytes);
  return {.unknown = "what is not taken apart in its format"};
}

std::optional<std::string> held_beyond(const FileDescription& one, const FileDescription& other) {
  if (!one.unknown.empty()) return fmt::format("holds {}", one.unknown);
  if (one.frames != 1) return counted("frames", one.frames, other.frames);
  const bool has_same_trailer = behind_the_end(one) && one.trailer == other.trailer;
  if (!has_same_trailer) {
    if (one.has_video) return "holds a video";
    if (one.has_gain_map && !other.has_gain_map) return "holds a gain map, the other holds none";
    if (one.has_depth && !other.has_depth) return "holds a depth map, the other holds none";
    if (one.pictures > 1) return counted("pictures", one.pictures, other.pictures);
    if (one.has_gain_map) return "holds a gain map, which was not compared";
    if (one.has_depth) return "holds a depth map, which was not compared";
    if (one.trailer_bytes > 0) {
      return fmt::format("holds {} bytes behind the end of the picture", one.trailer_bytes);
    }
  }
  if (one.has_alpha && !other.has_alpha) return "has transparency, the other has none";
  if (one.bits > other.bits) {
    return fmt::format("has {} bits a channel, the other has {}", one.bits, other.bits);
  }
  if (one.has_colour && !other.has_colour) return "is in colour, the other is grey";
  if (!one.has_palette && other.has_palette && one.has_colour) {
    return "has all colours, the other has at most 256";
  }
  return std::nullopt;
}

}  // namespace lookalike
