#include "stages/decode/decoders.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>

#include "base/error.h"
#include "stages/decode/opencv_codecs.h"

namespace lookalike {
namespace {

// Silences std::cerr while one of these exists in any thread: OpenCV's readers complain there of
// damaged files without naming them, and callers report those files. spdlog and stdio, which
// lookalike writes through, are not affected.
class QuietCerr {
 public:
  QuietCerr() {
    const std::lock_guard lock(mutex_);
    if (holders_++ > 0) return;
    before_ = std::cerr.rdstate();
    std::cerr.setstate(std::ios::badbit);
  }
  ~QuietCerr() {
    const std::lock_guard lock(mutex_);
    if (--holders_ == 0) std::cerr.clear(before_);
  }
  QuietCerr(const QuietCerr&) = delete;
  QuietCerr& operator=(const QuietCerr&) = delete;

 private:
  // One for the process, as std::cerr is.
  static inline std::mutex mutex_;
  static inline int holders_ = 0;
  static inline std::ios::iostate before_ = std::ios::goodbit;
};

cv::Mat read_by_opencv(const LoadedFile& loaded, PixelMode mode, int divisor) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const QuietCerr quiet;
  return opencv_codecs().decode(loaded.bytes, mode, divisor);
}

// Empty for what cannot be read.
cv::Mat read_pixels(const LoadedFile& loaded, const ImageHeader& header, PixelMode mode,
                    int divisor) {
  cv::Mat pixels;
  if (header.format == ImageFormat::kJpeg) pixels = read_jpeg(loaded.bytes, mode, divisor);
  if (header.format == ImageFormat::kPng) pixels = read_png(loaded.bytes, mode);
  return pixels.empty() ? read_by_opencv(loaded, mode, divisor) : pixels;
}

// A grey image with its alpha channel, which OpenCV drops.
cv::Mat with_alpha(const cv::Mat& gray, std::uint16_t transparent_level) {
  cv::Mat alpha;
  cv::Mat(gray != transparent_level)
      .convertTo(alpha, gray.depth(), gray.depth() == CV_8U ? 1 : 257);
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{gray, gray, gray, alpha}, bgra);
  return bgra;
}

// Nothing for an image without transparent pixels.
std::optional<ShownPixels> composed(const LoadedFile& loaded, const ImageHeader& header,
                                    PixelMode mode) {
  if (!header.has_alpha) return std::nullopt;
  cv::Mat stored = read_pixels(loaded, header, PixelMode::kAsStored, 1);
  if (stored.channels() == 1 && header.transparent_level) {
    stored = with_alpha(stored, *header.transparent_level);
  }
  // OpenCV passes on the colours of a TIFF as stored or, with 8 bits, as libtiff gives them.
  return compose(stored, header.format == ImageFormat::kTiff, mode == PixelMode::kColour);
}

}  // namespace

std::optional<std::string> too_large(std::uint64_t width, std::uint64_t height,
                                     const ImagesOptions& limits) {
  const double megapixels = static_cast<double>(width) * static_cast<double>(height) / 1e6;
  if (megapixels <= limits.max_megapixels) return std::nullopt;
  return fmt::format("{} x {} px is more than images.max_megapixels = {}", width, height,
                     limits.max_megapixels);
}

std::variant<ImageHeader, SkippedFile> check_header(const LoadedFile& loaded,
                                                    const ImagesOptions& limits) {
  if (ends_early(loaded.bytes)) {
    return SkippedFile{loaded.file, "undecodable", "the image ends early: the file is cut short"};
  }
  const std::optional<ImageHeader> header = read_image_header(loaded.bytes);
  // Reject files whose dimensions cannot be checked before decoding.
  if (!header)
    return SkippedFile{loaded.file, "undecodable", "not an image of a format that is known"};
  if (auto why = too_large(header->width, header->height, limits)) {
    return SkippedFile{loaded.file, "too_large", std::move(*why)};
  }
  return *header;
}

int jpeg_divisor(const ImageHeader& header, std::uint32_t longest_side_px) {
  if (header.format != ImageFormat::kJpeg) return 1;
  for (const int divisor : {8, 4, 2}) {
    const auto d = static_cast<std::uint64_t>(divisor);
    const bool exact = header.width % d == 0 && header.height % d == 0;
    if (exact && std::max(header.width, header.height) / d >= longest_side_px) return divisor;
  }
  return 1;
}

std::variant<ShownPixels, SkippedFile> decode_pixels(const LoadedFile& loaded,
                                                     const ImageHeader& header, PixelMode mode,
                                                     int jpeg_divisor) {
  try {
    if (auto shown = composed(loaded, header, mode)) return std::move(*shown);
    cv::Mat pixels = read_pixels(loaded, header, mode, jpeg_divisor);
    if (!pixels.empty()) return ShownPixels{std::move(pixels), {}};
    return SkippedFile{loaded.file, "undecodable", "not an image that can be read"};
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return SkippedFile{loaded.file, "undecodable", "OpenCV: " + exception.err};
  }
}

std::variant<ShownPixels, SkippedFile> load_pixels(const std::string& path, PixelMode mode,
                                                   const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  auto header = check_header(std::get<LoadedFile>(loaded), limits);
  if (auto* file = std::get_if<SkippedFile>(&header)) return std::move(*file);
  return decode_pixels(std::get<LoadedFile>(loaded), std::get<ImageHeader>(header), mode);
}

ShownPixels must_load_pixels(const std::string& path, PixelMode mode, const ImagesOptions& limits) {
  auto loaded = load_pixels(path, mode, limits);
  if (const auto* file = std::get_if<SkippedFile>(&loaded)) {
    throw Error(ErrorKind::kInput, fmt::format("{}: {}: {}", path, file->reason, file->detail));
  }
  return std::get<ShownPixels>(std::move(loaded));
}

}  // namespace lookalike
