#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lookalike {

// The picture that a camera's RAW file has beside the sensor's data: the largest of its embedded
// JPEG files in 8 bits, with the RAW file's orientation in EXIF where it has no EXIF itself. It
// ends early where the RAW file does. Empty where there is none, or none larger than a plain
// picture in the first directory. Never reads past the bytes.
//
// In files like TIFF (DNG, CR2, NEF, ARW and others), directories state where JPEG files are.
// Elsewhere (CR3, RAF, ORF and others), and where directories name none, they are known by their
// form: marker segments, one behind the other, from their start to their end. Not in DNG and in
// files with tiles, where such JPEG files are parts and thumbnails.
std::vector<std::uint8_t> raw_preview(std::span<const std::uint8_t> file);

}  // namespace lookalike
