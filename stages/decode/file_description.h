#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/content_hash.h"

// What a file holds besides the picture that the index knows, read from its bytes without decoding.
// What is written into it: metadata.h.
namespace lookalike {

enum class Codec { kJpeg, kPng, kGif, kWebp, kHeic, kAvif, kTiff, kBmp, kPnm, kUnknown };

// "JPEG", "PNG", ...; "file of a format that is not taken apart".
std::string_view to_string(Codec codec);

struct FileDescription {
  Codec codec = Codec::kUnknown;
  bool is_lossless = false;
  // Quantisation steps of a JPEG's luma, [8][8] by vertical, then horizontal frequency.
  std::optional<std::array<std::uint16_t, 64>> steps{};
  std::uint32_t bits = 8;      // per channel
  bool has_colour = true;      // false: one channel of grey
  bool has_palette = false;    // at most 256 colours
  bool has_alpha = false;      // pixels may be transparent
  std::uint64_t pictures = 1;  // stills that a viewer may show: pages, stereo, HEIF items
  std::uint64_t frames = 1;    // of an animation; 0: a sequence of unknown length
  bool has_video = false;      // a motion photo
  bool has_gain_map = false;   // for displays of high dynamic range
  bool has_depth = false;
  // Bytes of the coded picture, without what is written into its file; 0 if they are not known.
  std::uint64_t picture_bytes = 0;
  // What was found and is not understood, for example "a PNG chunk vpXx"; empty if nothing.
  std::string unknown{};
  // Bytes behind the end of the picture, and their hash. Padding is none.
  std::uint64_t trailer_bytes = 0;
  ContentHash trailer{};

  // Returns the mean quantisation step of a JPEG's luma; 0 for other files.
  double mean_step() const;
  // Returns the quality, 1 to 100, at which libjpeg would choose such steps; 0 for other files.
  int jpeg_quality() const;
};

// Describes any bytes. Takes time linear in the file, and no length that the file states is
// trusted. Files whose lists are longer than kMostEntries hold something unknown.
FileDescription describe_file(std::span<const std::uint8_t> bytes);

inline constexpr std::size_t kMostEntries = 65536;

// Returns in words what a file holds besides pixels that another one does not, for example "holds
// 12 frames, the other holds 1"; nothing if the other has at least all of it. Frames, pictures and
// videos of two files are not compared, so that they count as different unless they lie behind the
// end of the picture and have the same bytes.
std::optional<std::string> held_beyond(const FileDescription& one, const FileDescription& other);

}  // namespace lookalike
