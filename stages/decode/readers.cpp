#include "stages/decode/readers.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/module.h"
#include "base/pool.h"
#include "stages/decode/bytes.h"
#include "stages/decode/pnm.h"
#include "stages/decode/reader_process.h"

namespace lookalike {
namespace {

constexpr const char* kOpenCvModule = "opencv_reader.so";
constexpr const char* kLargeModule = "large_reader.so";

// Size of the largest picture that the linked readers read in this process, in pixels. A file of
// some kilobytes can state a hundred megapixels, which take gigabytes and many seconds: only
// reader processes have limits of both.
constexpr std::uint64_t kMostPixelsHere = 32'000'000;

std::optional<ReaderModule> own_module(ImageFormat format) {
  switch (format) {
    case ImageFormat::kGif:
      return ReaderModule::kGif;
    case ImageFormat::kHeif:
      return ReaderModule::kHeif;
    case ImageFormat::kAnimatedWebp:
      return ReaderModule::kWebp;
    default:
      return std::nullopt;
  }
}

std::string module_of(ImageFormat format) {
  const auto own = own_module(format);
  return own ? std::string(file_name(*own)) : kOpenCvModule;
}

// The reader processes of a module: as many as threads have read with it at once. They stay, since
// starting one takes longer than reading most pictures.
using Readers = Pool<ReaderProcess>;

Readers& readers_of(const std::string& module) {
  static std::mutex mutex;
  static std::map<std::string, Readers> readers;
  const std::lock_guard lock(mutex);
  return readers.try_emplace(module, [module] { return std::make_unique<ReaderProcess>(module); })
      .first->second;
}

}  // namespace

const OpenCvModule& opencv_module() {
  static const auto* const module = static_cast<const OpenCvModule*>(load_module(kOpenCvModule));
  return *module;
}

bool has_own_module(ImageFormat format) {
  return own_module(format).has_value();
}

bool has_reader(ImageFormat format) {
  const auto own = own_module(format);
  return !own || is_built(*own);
}

std::optional<ImageHeader> read_header_apart(std::span<const std::uint8_t> file, ImageFormat format,
                                             std::string& problem) {
  const Readers::Lease reader(readers_of(module_of(format)));
  std::optional<ImageHeader> header = reader->read_header(file, problem);
  if (!header) return std::nullopt;
  header->format = format;
  if (format == ImageFormat::kAnimatedWebp) {
    header->orientation = read_image_header(file).value_or(ImageHeader{}).orientation;
  }
  return header;
}

cv::Mat read_image(std::span<const std::uint8_t> file, const ImageHeader& header, PixelMode mode,
                   int divisor, std::string& problem) {
  if (!is_linked(header.format)) {
    const Readers::Lease reader(readers_of(module_of(header.format)));
    return upright(reader->read(file, header, mode, 1, problem), header.orientation);
  }
  if (header.width * header.height <= kMostPixelsHere) {
    return read_linked(file, header.format, mode, divisor, problem);
  }
  const Readers::Lease reader(readers_of(kLargeModule));
  return reader->read(file, header, mode, divisor, problem);
}

Metadata read_metadata(std::span<const std::uint8_t> file) {
  if (has_text(file, 0, "BM") || is_pnm(file)) return {};
  if (!is_built(ReaderModule::kMetadata)) return {.problem = missing_for_metadata()};
  const Readers::Lease reader(readers_of(std::string(file_name(ReaderModule::kMetadata))));
  std::string problem;
  Metadata found = metadata_of(reader->read_metadata(file, problem));
  if (!problem.empty()) found.problem = problem;
  return found;
}

std::string missing_for_metadata() {
  if (!is_built(ReaderModule::kMetadata)) return "build lookalike with libexiv2-dev";
  try {
    load_module(std::string(file_name(ReaderModule::kMetadata)).c_str());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::string missing_part(const ImageFormatInfo& format) {
  if (!format.is_built_in()) return fmt::format("build lookalike with {}", format.package);
  try {
    if (format.library == "OpenCV") opencv_module();
    if (format.package.empty()) return {};
    const auto* const reader =
        static_cast<const ImageReader*>(load_module(std::string(file_name(format.module)).c_str()));
    if (format.plugin_package.empty() || reader->has_decoder(format.name)) return {};
    return fmt::format("install {}", format.plugin_package);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace lookalike
