#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"

namespace lookalike {

// A page of a file: its bytes as they were read, once, with that page first.
struct LoadedFile {
  SourceFile file;        // the page's name; size and time as they were when the file was opened
  ContentHash content{};  // the page's
  std::vector<std::uint8_t> bytes;
  std::uint32_t page = 1;            // of the file
  std::vector<std::size_t> pages{};  // of a TIFF file: where its pages are
};

// The size in which features are extracted.
WantedSize wanted_size(const ExtractOptions& options);

// Images with a shorter side than this are set aside: no filter fits into them.
inline constexpr int kMinSidePx = 16;

// Reads and hashes a file, or a page of one by its name (base/page_name.h). Reasons for skipping
// it: "vanished", "unreadable" (or no regular file), "empty", "too_large" (limits.max_file_mib,
// max_pages), "changing" (while it was read), "no_page" (the file has fewer).
std::variant<LoadedFile, SkippedFile> load_file(const std::string& name,
                                                const ImagesOptions& limits);

// A page of a file that was loaded as its first one, 1 to loaded.pages.size().
LoadedFile page_of_loaded(const LoadedFile& loaded, std::uint32_t number);

// Decodes to 8-bit grey (EXIF orientation honoured, transparent pixels laid over a
// ground); reduces by area averaging, enlarges by cubic interpolation.
// Reasons for skipping: "too_large" (limits.max_megapixels, taken from the header), "too_small",
// "undecodable" and "no_reader" (see check_header, decode_pixels). Large pictures are decoded one
// at a time (LargeTurn). Throws as decode_pixels.
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits);

// load_file, then decode. A file that cannot be used is a value, not an exception.
std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits);

// A part of a photo: px of the upright photo at full size, counted from its top-left pixel.
struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const Region&) const = default;
};

// "x,y,width,height" in whole numbers, x and y at least 0, width and height at least kMinSidePx.
// Throws Error(kUsage).
Region parse_region(std::string_view text);

// As decode_file, of the region alone: record.width and height are the region's, and positions
// count from its top-left pixel. It is resized as an image of its size would be, so a small part of
// a large photo keeps its detail.
// Throws Error(kInput) when the region leaves the photo; a photo that cannot be used is a value.
std::variant<DecodedImage, SkippedFile> decode_region(const std::string& path, const Region& region,
                                                      WantedSize size, const ImagesOptions& limits);
// The same of a file that was loaded.
std::variant<DecodedImage, SkippedFile> decode_region(const LoadedFile& loaded,
                                                      const Region& region, WantedSize size,
                                                      const ImagesOptions& limits);

// A file in memory, named for messages.
LoadedFile loaded_bytes(std::string name, std::vector<std::uint8_t> bytes);

}  // namespace lookalike
