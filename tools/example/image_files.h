#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include "base/random.h"

// Image files for the example and the tests, in the formats that lookalike reads, valid and
// damaged.
namespace lookalike {

using FileBytes = std::vector<std::uint8_t>;

// A format in which files can be made here.
struct FileFormat {
  std::string_view ending;            // ".jpg"
  FileBytes (*make)(const cv::Mat&);  // of CV_8UC3, in BGR
};

// Those whose readers were built, as far as their libraries have encoders.
std::span<const FileFormat> file_formats();

struct GifForm {
  bool interlaced = false;
  cv::Point place{};  // of the picture on the screen
  cv::Size screen{};  // empty: that of the picture
  int frames = 1;     // those after the first are black
};

// Of CV_8U, exact but for level 255, which becomes 254; of CV_8UC3 or CV_8UC4, in 252 colours.
// Alpha below 128 is transparent. Throws Error(kInternal), also where giflib was not found.
FileBytes make_gif(const cv::Mat& picture, const GifForm& form = {});

// HEIC or AVIF, of CV_8UC3 or CV_8UC4.
struct HeifForm {
  bool av1 = false;          // else HEVC
  int orientation = 1;       // as EXIF counts them, by the properties irot and imir
  int exif_orientation = 0;  // EXIF that says so, which HEIF gives no say; 0: no EXIF
};

// Whether libheif was found and has the encoder.
bool can_make_heif(bool av1);
FileBytes make_heif(const cv::Mat& picture, const HeifForm& form);

// The forms that files of cameras have.
enum class RawForm {
  kDng,     // the preview in the first directory
  kNef,     // a plain thumbnail in the first directory, the preview in one below
  kCr2,     // the preview in the first directory, behind a mark
  kRaf,     // no TIFF: two JPEG files, a small one first, the orientation in their EXIF
  kNoJpeg,  // DNG whose preview is plain pixels
};

// A RAW file of a few grey pixels, with the picture, CV_8UC3, as its preview. The preview is stored
// as it is; the file's orientation says how to turn it.
FileBytes make_raw(const cv::Mat& picture, RawForm form, int orientation = 1);

// Twice the picture, CV_8UC3 or CV_8UC4 of at most 2^24 px a side.
FileBytes make_animated_webp(const cv::Mat& picture);

// The file with flipped bits, mostly near its start, or truncated, or with the start of one of the
// others. No file may be empty.
FileBytes mutated(FileBytes file, std::span<const FileBytes> others, Random& random);

}  // namespace lookalike
