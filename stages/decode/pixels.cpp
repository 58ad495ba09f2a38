#include "stages/decode/pixels.h"

#include <iostream>
#include <mutex>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"

namespace lookalike {
namespace {

// While one of these lives, in any thread, std::cerr is silent: OpenCV's readers complain there of
// damaged files without naming them, and we report those files ourselves. Our own talk goes
// through spdlog and stdio, which this leaves alone.
class QuietCerr {
 public:
  QuietCerr();
  ~QuietCerr();
  QuietCerr(const QuietCerr&) = delete;
  QuietCerr& operator=(const QuietCerr&) = delete;
};

// std::cerr is the process's, so what silences it has to be, too.
struct Shared {
  std::mutex mutex;
  int holders = 0;
  std::ios::iostate before = std::ios::goodbit;
};

Shared& shared() {
  static Shared instance;
  return instance;
}

QuietCerr::QuietCerr() {
  const std::lock_guard lock(shared().mutex);
  if (shared().holders++ > 0) return;
  shared().before = std::cerr.rdstate();
  std::cerr.setstate(std::ios::badbit);
}

QuietCerr::~QuietCerr() {
  const std::lock_guard lock(shared().mutex);
  if (--shared().holders == 0) std::cerr.clear(shared().before);
}

// Channels and depth as they are stored, as by IMREAD_UNCHANGED, and upright all the same. GDAL
// itself has no part in decoding from memory.
constexpr int kAsStored = cv::IMREAD_LOAD_GDAL;

// A grey image, of which OpenCV drops what is transparent, with its alpha channel.
cv::Mat with_alpha(const cv::Mat& gray, std::uint16_t transparent_level) {
  cv::Mat alpha;
  cv::Mat(gray != transparent_level)
      .convertTo(alpha, gray.depth(), gray.depth() == CV_8U ? 1 : 257);
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{gray, gray, gray, alpha}, bgra);
  return bgra;
}

// Nothing for an image without transparent pixels.
std::optional<ShownPixels> composed(const LoadedFile& loaded, const ImageHeader& header, int mode) {
  if (!header.has_alpha) return std::nullopt;
  cv::Mat stored = cv::imdecode(loaded.bytes, kAsStored);
  if (stored.channels() == 1 && header.transparent_level) {
    stored = with_alpha(stored, *header.transparent_level);
  }
  // OpenCV gives the colours of a TIFF as it has them or, with 8 bits, as libtiff does.
  return compose(stored, header.tiff, mode == cv::IMREAD_COLOR);
}

}  // namespace

SkippedFile skipped(SourceFile file, std::string reason, std::string detail) {
  SkippedFile result;
  result.file = std::move(file);
  result.reason = std::move(reason);
  result.detail = std::move(detail);
  return result;
}

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
    return skipped(loaded.file, "undecodable", "the image ends early: the file is cut short");
  }
  const std::optional<ImageHeader> header = read_image_header(loaded.bytes);
  // Without a size that can be held against the limits, no decoder is let loose on a file.
  if (!header) return skipped(loaded.file, "undecodable", "not an image of a format that is known");
  if (auto why = too_large(header->width, header->height, limits)) {
    return skipped(loaded.file, "too_large", std::move(*why));
  }
  return *header;
}

std::variant<ShownPixels, SkippedFile> decode_pixels(const LoadedFile& loaded,
                                                     const ImageHeader& header, int mode) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const QuietCerr quiet;
  try {
    if (auto shown = composed(loaded, header, mode)) return std::move(*shown);
    cv::Mat pixels = cv::imdecode(loaded.bytes, mode);
    if (!pixels.empty()) return ShownPixels{std::move(pixels), {}};
    return skipped(loaded.file, "undecodable", "not an image that can be read");
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return skipped(loaded.file, "undecodable", "OpenCV: " + exception.err);
  }
}

std::variant<ShownPixels, SkippedFile> load_pixels(const std::string& path, int mode,
                                                   const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  auto header = check_header(std::get<LoadedFile>(loaded), limits);
  if (auto* file = std::get_if<SkippedFile>(&header)) return std::move(*file);
  return decode_pixels(std::get<LoadedFile>(loaded), std::get<ImageHeader>(header), mode);
}

ShownPixels must_load_pixels(const std::string& path, int mode, const ImagesOptions& limits) {
  auto loaded = load_pixels(path, mode, limits);
  if (const auto* file = std::get_if<SkippedFile>(&loaded)) {
    throw Error(ErrorKind::kInput, fmt::format("{}: {}: {}", path, file->reason, file->detail));
  }
  return std::get<ShownPixels>(std::move(loaded));
}

}  // namespace lookalike
