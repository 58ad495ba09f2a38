#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lookalike {

// Returns the picture that a camera's RAW file holds besides the sensor's data: the largest of its
// embedded JPEG files in 8 bits. Adds the RAW file's orientation if the JPEG has no EXIF. The
// picture ends early where the RAW file does. Empty if there is none, or none larger than a plain
// picture in the first directory. Never reads past the bytes.
//
// Directories of TIFF-based files (DNG, CR2, NEF, ARW and others) state where JPEG files are. In
// other files (CR3, RAF, ORF and others), and where directories name none, JPEG files are
// recognised by their consecutive marker segments; but not in DNG and in files with tiles, where
// such JPEG files are parts and thumbnails.
std::vector<std::uint8_t> raw_preview(std::span<const std::uint8_t> file);

}  // namespace lookalike
