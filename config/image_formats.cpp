#include "config/image_formats.h"

#include <algorithm>
#include <array>

namespace lookalike {

std::string_view file_name(ReaderModule module) {
  switch (module) {
    case ReaderModule::kGif:
      return "gif_reader.so";
    case ReaderModule::kHeif:
      return "heif_reader.so";
    case ReaderModule::kMetadata:
      return "metadata_reader.so";
    case ReaderModule::kWebp:
      return "webp_reader.so";
  }
  return {};
}

// CMakeLists.txt defines each of these as 0 or 1.
bool is_built(ReaderModule module) {
  return (module == ReaderModule::kGif && LOOKALIKE_HAS_GIF != 0) ||
         (module == ReaderModule::kHeif && LOOKALIKE_HAS_HEIF != 0) ||
         (module == ReaderModule::kMetadata && LOOKALIKE_HAS_METADATA != 0) ||
         (module == ReaderModule::kWebp && LOOKALIKE_HAS_WEBP != 0);
}

std::span<const ImageFormatInfo> image_formats() {
  static const std::array<ImageFormatInfo, 12> formats = {{
      {"JPEG", {"jpg", "jpeg", "jpe", "jfif"}, "libjpeg-turbo", ""},
      {"PNG", {"png"}, "libpng", ""},
      {"WebP", {"webp"}, "OpenCV", ""},
      {"TIFF", {"tif", "tiff"}, "OpenCV", ""},
      {"BMP", {"bmp"}, "OpenCV", ""},
      {"PNM", {"pgm", "ppm", "pbm", "pnm"}, "lookalike", ""},
      {"JPEG 2000", {"jp2"}, "OpenCV", ""},
      {"camera RAW",
       {"dng", "cr2", "cr3", "nef", "arw", "raf", "orf", "rw2", "pef", "3fr", "crw", "dcr", "erf",
        "fff", "iiq", "kdc", "mef", "mos", "mrw", "nrw", "rwl", "sr2", "srf", "srw", "x3f"},
       "libjpeg-turbo",
       ""},
      {"animated WebP", {"webp"}, "libwebp", "libwebp-dev", ReaderModule::kWebp},
      {"GIF", {"gif"}, "giflib", "libgif-dev", ReaderModule::kGif},
      {"HEIC",
       {"heic", "heif", "hif"},
       "libheif",
       "libheif-dev",
       ReaderModule::kHeif,
       "libheif-plugin-libde265"},
      {"AVIF", {"avif"}, "libheif", "libheif-dev", ReaderModule::kHeif, "libheif-plugin-aomdec"},
  }};
  return formats;
}

std::vector<std::string> default_extensions() {
  // Computed once, as a command line constructs many configurations.
  static const std::vector<std::string> extensions = [] {
    std::vector<std::string> all;
    for (const ImageFormatInfo& format : image_formats()) {
      if (!format.is_built_in()) continue;
      for (const std::string_view ending : format.endings) {
        if (std::ranges::find(all, ending) == all.end()) all.emplace_back(ending);
      }
    }
    return all;
  }();
  return extensions;
}

}  // namespace lookalike
