#include "stages/decode/pixels.h"

#include <new>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/error.h"
#include "stages/decode/quiet_cerr.h"

namespace lookalike {

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

std::variant<cv::Mat, SkippedFile> decode_pixels(const LoadedFile& loaded, int mode) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const QuietCerr quiet;
  try {
    cv::Mat pixels = cv::imdecode(loaded.bytes, mode);
    if (!pixels.empty()) return pixels;
    return skipped(loaded.file, "undecodable", "not an image that can be read");
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return skipped(loaded.file, "undecodable", "OpenCV: " + exception.err);
  }
}

std::variant<cv::Mat, SkippedFile> load_pixels(const std::string& path, int mode,
                                               const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  auto header = check_header(std::get<LoadedFile>(loaded), limits);
  if (auto* file = std::get_if<SkippedFile>(&header)) return std::move(*file);
  return decode_pixels(std::get<LoadedFile>(loaded), mode);
}

cv::Mat must_load_pixels(const std::string& path, int mode, const ImagesOptions& limits) {
  auto loaded = load_pixels(path, mode, limits);
  if (const auto* file = std::get_if<SkippedFile>(&loaded)) {
    throw Error(ErrorKind::kInput, fmt::format("{}: {}: {}", path, file->reason, file->detail));
  }
  return std::get<cv::Mat>(std::move(loaded));
}

}  // namespace lookalike
