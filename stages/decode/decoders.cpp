#include "stages/decode/decoders.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/program.h"
#include "stages/decode/heif_size.h"
#include "stages/decode/opencv_codecs.h"
#include "stages/decode/raw_preview.h"
#include "stages/decode/reader_modules.h"

namespace lookalike {
namespace {

// Silences std::cerr while one of these exists in any thread: OpenCV's readers complain there of
// damaged files without naming them, and callers report those files. spdlog and stdio, which
// lookalike writes through, are not affected. Not in the library, whose host writes to std::cerr.
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

using Bytes = std::vector<std::uint8_t>;

cv::Mat read_by_opencv(const Bytes& file, PixelMode mode, int divisor) {
  std::optional<QuietCerr> quiet;
  if (is_own_process()) {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    quiet.emplace();
  }
  return opencv_codecs().decode(file, mode, divisor);
}

// Empty for what cannot be read.
cv::Mat read_pixels(const Bytes& file, const ImageHeader& header, PixelMode mode, int divisor) {
  cv::Mat pixels;
  if (header.format == ImageFormat::kJpeg) pixels = read_jpeg(file, mode, divisor);
  if (header.format == ImageFormat::kPng) pixels = read_png(file, mode);
  return pixels.empty() ? read_by_opencv(file, mode, divisor) : pixels;
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
std::optional<ShownPixels> composed(const Bytes& file, const ImageHeader& header, PixelMode mode) {
  if (!header.has_alpha) return std::nullopt;
  cv::Mat stored = read_pixels(file, header, PixelMode::kAsStored, 1);
  if (stored.channels() == 1 && header.transparent_level) {
    stored = with_alpha(stored, *header.transparent_level);
  }
  return compose(stored, header.premultiplied, mode == PixelMode::kColour);
}

// Of what a PictureReader read: in the mode's channels, without alpha.
cv::Mat in_mode(const cv::Mat& stored, PixelMode mode) {
  const int channels = mode == PixelMode::kGray ? 1 : 3;
  if (stored.channels() == channels) return stored;
  cv::Mat result;
  if (channels == 1) {
    cv::cvtColor(stored, result, stored.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  } else {
    cv::cvtColor(stored, result, cv::COLOR_BGRA2BGR);
  }
  return result;
}

SkippedFile undecodable(const LoadedFile& loaded, std::string why) {
  return {loaded.file, "undecodable", std::move(why)};
}

// For a file that may be as it should be: the next run tries it again.
SkippedFile without_reader(const LoadedFile& loaded, std::string_view what) {
  return {loaded.file, "no_reader", fmt::format("{}: see lookalike formats", what)};
}

// By the problem that a PictureReader left.
SkippedFile unread(const LoadedFile& loaded, std::string problem) {
  if (!problem.empty()) return undecodable(loaded, std::move(problem));
  return without_reader(loaded, "the library here cannot read this kind of file");
}

std::variant<ShownPixels, SkippedFile> read_by(const PictureReader& reader,
                                               const LoadedFile& loaded, const ImageHeader& header,
                                               PixelMode mode) {
  std::string problem;
  const cv::Mat stored = reader.read(loaded.bytes, mode, problem);
  if (stored.empty()) return unread(loaded, std::move(problem));
  if (stored.total() > header.width * header.height) {
    return undecodable(loaded, "the picture is larger than its header states");
  }
  if (auto shown = compose(stored, header.premultiplied, mode == PixelMode::kColour)) {
    return *std::move(shown);
  }
  return ShownPixels{in_mode(stored, mode), {}};
}

// Of the file or, where `preview` has a picture, of that.
std::variant<ImageHeader, SkippedFile> own_header(const LoadedFile& loaded, Bytes preview) {
  const Bytes& file = preview.empty() ? loaded.bytes : preview;
  if (ends_early(file)) {
    return undecodable(loaded, "the image ends early: the file is cut short");
  }
  std::optional<ImageHeader> header = read_image_header(file);
  // Reject files whose dimensions cannot be checked before decoding.
  if (!header) return undecodable(loaded, "not an image of a format that is known");
  header->preview = std::move(preview);
  return *std::move(header);
}

// Raises the size to what decoding may need, so that the limits hold for it. False where that
// cannot be told.
bool cover_coded_size(const Bytes& file, ImageHeader& header) {
  const std::optional<CodedSize> coded = largest_coded_size(file);
  if (coded && coded->pixels() > header.width * header.height) {
    header.width = coded->width;
    header.height = coded->height;
  }
  return coded.has_value();
}

std::variant<ImageHeader, SkippedFile> read_header(const LoadedFile& loaded) {
  const ImageFormat format = format_of(loaded.bytes);
  // A further page is a picture, even if its tags, by a scanner's name, look like a camera's.
  if (loaded.page > 1) return own_header(loaded, {});
  // Without a preview, a RAW file may be a TIFF file of a plain picture.
  if (format == ImageFormat::kRaw) return own_header(loaded, raw_preview(loaded.bytes));
  if (const PictureReader* const reader = picture_reader(format)) {
    std::string problem;
    std::optional<ImageHeader> header = reader->read_header(loaded.bytes, problem);
    if (!header) return unread(loaded, std::move(problem));
    if (format == ImageFormat::kHeif && !cover_coded_size(loaded.bytes, *header)) {
      return undecodable(loaded, "what its pictures take to decode cannot be told");
    }
    return *std::move(header);
  }
  if (format == ImageFormat::kGif) return without_reader(loaded, "this build reads no GIF");
  if (format == ImageFormat::kHeif)
    return without_reader(loaded, "this build reads no HEIC or AVIF");
  return own_header(loaded, {});
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
  auto read = read_header(loaded);
  if (const auto* header = std::get_if<ImageHeader>(&read)) {
    if (auto why = too_large(header->width, header->height, limits)) {
      return SkippedFile{loaded.file, "too_large", std::move(*why)};
    }
  }
  return read;
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
  const Bytes& file = header.preview.empty() ? loaded.bytes : header.preview;
  try {
    if (const PictureReader* reader = picture_reader(header.format)) {
      return read_by(*reader, loaded, header, mode);
    }
    if (auto shown = composed(file, header, mode)) return std::move(*shown);
    cv::Mat pixels = read_pixels(file, header, mode, jpeg_divisor);
    if (!pixels.empty()) return ShownPixels{std::move(pixels), {}};
    return undecodable(loaded, "not an image that can be read");
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return undecodable(loaded, "OpenCV: " + exception.err);
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
