#include "stages/decode/readers.h"

#include <ios>
#include <iostream>
#include <mutex>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>

#include "base/error.h"
#include "base/module.h"
#include "base/program.h"

namespace lookalike {
namespace {

// Silences std::cerr while one of these exists in any thread: OpenCV's readers report damaged files
// there without naming them, and callers report those files. spdlog and stdio, through which
// lookalike writes, are not affected. Not used in the library, whose host writes to std::cerr.
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
  // Shared by the process, like std::cerr.
  static inline std::mutex mutex_;
  static inline int holders_ = 0;
  static inline std::ios::iostate before_ = std::ios::goodbit;
};

cv::Mat read_by_opencv(const std::vector<std::uint8_t>& file, PixelMode mode, int divisor) {
  std::optional<QuietCerr> quiet;
  if (is_own_process()) {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    quiet.emplace();
  }
  return opencv_reader().read(file, mode, divisor);
}

const ImageReader* load_reader(ReaderModule module) {
  return static_cast<const ImageReader*>(load_module(std::string(file_name(module)).c_str()));
}

template <ReaderModule module>
const ImageReader* loaded_reader() {
  static const ImageReader* const reader = is_built(module) ? load_reader(module) : nullptr;
  return reader;
}

}  // namespace

const ImageReader* reader_module(ImageFormat format) {
  switch (format) {
    case ImageFormat::kGif:
      return loaded_reader<ReaderModule::kGif>();
    case ImageFormat::kHeif:
      return loaded_reader<ReaderModule::kHeif>();
    case ImageFormat::kAnimatedWebp:
      return loaded_reader<ReaderModule::kWebp>();
    default:
      return nullptr;
  }
}

const OpenCvReader& opencv_reader() {
  static const auto* const reader =
      static_cast<const OpenCvReader*>(load_module("opencv_reader.so"));
  return *reader;
}

cv::Mat read_image(const std::vector<std::uint8_t>& file, ImageFormat format, PixelMode mode,
                   int divisor) {
  cv::Mat pixels;
  if (format == ImageFormat::kJpeg) pixels = read_jpeg(file, mode, divisor);
  if (format == ImageFormat::kPng) pixels = read_png(file, mode);
  return pixels.empty() ? read_by_opencv(file, mode, divisor) : pixels;
}

cv::Mat upright(const cv::Mat& stored, int orientation) {
  constexpr int kUpsideDown = 0;
  constexpr int kLeftToRight = 1;
  constexpr int kBoth = -1;
  if (orientation < 2 || orientation > 8) return stored;
  cv::Mat image = stored;
  if (orientation > 4) cv::transpose(stored, image);
  cv::Mat result = image;
  if (orientation == 4 || orientation == 8) cv::flip(image, result, kUpsideDown);
  if (orientation == 2 || orientation == 6) cv::flip(image, result, kLeftToRight);
  if (orientation == 3 || orientation == 7) cv::flip(image, result, kBoth);
  return result;
}

std::string missing_part(const ImageFormatInfo& format) {
  if (!format.is_built_in()) return fmt::format("build lookalike with {}", format.package);
  try {
    if (format.library == "OpenCV") opencv_reader();
    if (format.package.empty()) return {};
    const ImageReader* const reader = load_reader(format.module);
    if (format.plugin_package.empty() || reader->has_decoder(format.name)) return {};
    return fmt::format("install {}", format.plugin_package);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace lookalike
