#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include "config/image_formats.h"
#include "stages/decode/image_header.h"
#include "stages/decode/metadata.h"

// Image readers. JPEG and PNG are read by libjpeg-turbo and libpng, which are linked, so that most
// commands load no other library; Netpbm files need none. Reader modules (base/module.h) read the
// rest, in a process of their own (reader_process.h): gif_reader.so, heif_reader.so and
// webp_reader.so read one format each, opencv_reader.so all others. large_reader.so has the linked
// readers for large pictures, and metadata_reader.so reads what is written into files of all
// formats.
//
// Readers require whole files whose headers keep to the limits. pixels.h checks that, and only it
// calls them.
namespace lookalike {

enum class PixelMode {
  kGray,      // CV_8U
  kColour,    // CV_8UC3, BGR
  kAsStored,  // channels and depth of the file, BGRA with an alpha channel
};

// What is wrong with a file that lacks pixels.
inline constexpr const char* kEndsEarly = "the image ends early: the file is cut short";

// What is wrong with a file whose decoder sees another size than read_image_header(), to which the
// limits were applied.
inline constexpr const char* kOtherSize = "the picture has another size than its header states";

// Reads a JPEG file, upright as EXIF states, with the pixels of cv::imdecode, damaged ones as far
// as libjpeg can: `problem` then says what is wrong with them. On failure returns an empty matrix
// and sets `problem`.
//   divisor  reduces the picture: 1, 2, 4 or 8, a divisor of both sides; 1 for kAsStored
// Throws cv::Exception (StsNoMem), std::bad_alloc, and Overdue when the time of its WorkLimits is
// over.
cv::Mat read_jpeg(std::span<const std::uint8_t> file, PixelMode mode, int divisor,
                  std::string& problem);

// Reads a PNG file in the same way, ignoring its colour profile; a damaged one not at all, unless
// the damage lies behind its pixels. A grey picture with a transparent level comes without alpha.
cv::Mat read_png(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem);

// Reads a Netpbm file (pnm.h), whose maximum becomes 255, or 65535 for kAsStored if it is above
// 255. On failure returns an empty matrix and sets `problem`. Throws as read_jpeg().
cv::Mat read_pnm(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem);

// True for the formats of these three.
bool is_linked(ImageFormat format);

// Reads a file of such a format, in this process.
//   divisor  as in read_jpeg(); 1 for other formats
cv::Mat read_linked(std::span<const std::uint8_t> file, ImageFormat format, PixelMode mode,
                    int divisor, std::string& problem);

// Turns a picture upright: transposes it for orientations 5 to 8, then mirrors it. Leaves it as it
// is for orientations other than 2 to 8, sharing its pixels; mirrors in place for 2 to 4.
cv::Mat upright(const cv::Mat& stored, int orientation);

// What reader modules export; OpenCV's as a part. The module of metadata has read_metadata() alone,
// the others all else.
struct ImageReader {
  // Reads the header alone, without allocating memory by the picture's size. On failure returns
  // nothing and sets `problem`. Here and below, an empty `problem` means that the library lacks a
  // decoder or another part that the file needs. nullptr for OpenCV, whose formats
  // read_image_header() knows.
  std::optional<ImageHeader> (*read_header)(std::span<const std::uint8_t> file,
                                            std::string& problem) = nullptr;
  // Reads the picture, or the first of several, upright: CV_8UC3 (BGR), CV_8UC4 (BGRA) or, for
  // kGray, CV_8U. On failure returns an empty matrix and sets `problem`.
  cv::Mat (*read)(std::span<const std::uint8_t> file, PixelMode mode,
                  std::string& problem) = nullptr;
  // True if the library has its decoder of a format, named as in image_formats(). nullptr for
  // libraries with all decoders built in.
  bool (*has_decoder)(std::string_view format_name) = nullptr;
  // In place of read() in the module of large pictures: as read_linked(), of any linked format.
  cv::Mat (*read_reduced)(std::span<const std::uint8_t> file, PixelMode mode, int divisor,
                          std::string& problem) = nullptr;
  // Reads what is written into a file, as it is written; see MetadataField for the forms. Sets
  // `problem` if there may be more.
  void (*read_metadata)(std::span<const std::uint8_t> file, std::vector<MetadataEntry>& entries,
                        std::string& problem) = nullptr;
};

// What opencv_reader.so exports. OpenCV's writers are there too: they need the same libraries.
struct OpenCvModule {
  ImageReader reader;
  // cv::imencode; false on failure.
  bool (*encode)(const std::string& extension, const cv::Mat& image, int jpeg_quality,
                 std::vector<std::uint8_t>& file) = nullptr;
};

// Loads it into this process on first use. Throws as load_module().
const OpenCvModule& opencv_module();

// True for formats whose header their own module reads. has_reader() tells if it was built.
bool has_own_module(ImageFormat format);
bool has_reader(ImageFormat format);

// Reads the header of a file of such a format. On failure returns nothing and sets `problem`, as
// ImageReader. Throws as ReaderProcess.
std::optional<ImageHeader> read_header_apart(std::span<const std::uint8_t> file, ImageFormat format,
                                             std::string& problem);

// Reads a file whose header was checked, upright. On failure returns an empty matrix and sets
// `problem`, as ImageReader. Throws as read_jpeg() and ReaderProcess.
//   divisor  as in read_jpeg(); 1 for all other formats
cv::Mat read_image(std::span<const std::uint8_t> file, const ImageHeader& header, PixelMode mode,
                   int divisor, std::string& problem);

// Reads what is written into a file. Of a part of a file, gives what stands in it, and a problem.
// Without the module, all files have a problem. Files of formats that hold no metadata need none.
// Throws as ReaderProcess.
Metadata read_metadata(std::span<const std::uint8_t> file);

// Returns why metadata cannot be read, naming the package that is missing; empty if they can.
std::string missing_for_metadata();

// Returns why files of a format cannot be read, naming the package that is missing; empty if they
// can. Loads the format's module.
std::string missing_part(const ImageFormatInfo& format);

}  // namespace lookalike
