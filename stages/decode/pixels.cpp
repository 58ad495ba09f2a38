#include "stages/decode/pixels.h"

#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "stages/decode/heif_size.h"
#include "stages/decode/raw_preview.h"
#include "stages/decode/tiff.h"
#include "stages/decode/value_range.h"

namespace lookalike {
namespace {

// Adds the alpha channel that readers leave out of a grey image with a transparent level.
cv::Mat with_alpha(const cv::Mat& gray, std::uint16_t transparent_level) {
  cv::Mat alpha;
  cv::Mat(gray != transparent_level)
      .convertTo(alpha, gray.depth(), gray.depth() == CV_8U ? 1 : 257);
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{gray, gray, gray, alpha}, bgra);
  return bgra;
}

// Converts to the channels of the mode, without alpha.
cv::Mat in_mode(const cv::Mat& stored, PixelMode mode) {
  const int channels = mode == PixelMode::kGray ? 1 : 3;
  if (stored.channels() == channels) return stored;
  cv::Mat result;
  if (stored.channels() == 1) {
    cv::cvtColor(stored, result, cv::COLOR_GRAY2BGR);
  } else if (channels == 1) {
    cv::cvtColor(stored, result, stored.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  } else {
    cv::cvtColor(stored, result, cv::COLOR_BGRA2BGR);
  }
  return result;
}

SkippedFile undecodable(const LoadedFile& loaded, std::string why) {
  return {loaded.file, "undecodable", std::move(why)};
}

// For files that may be whole; the next run tries them again.
SkippedFile without_reader(const LoadedFile& loaded, std::string_view what) {
  return {loaded.file, "no_reader", fmt::format("{}: see lookalike formats", what)};
}

// `problem` is what a reader set.
SkippedFile unread(const LoadedFile& loaded, std::string problem) {
  if (!problem.empty()) return undecodable(loaded, std::move(problem));
  return without_reader(loaded, "the installed library cannot read this kind of file");
}

// Returns what is wrong with a file that OpenCV does not read: its kind, where that may be why.
std::string with_kind(std::string problem, const LoadedFile& loaded, const ImageHeader& header) {
  if (problem.empty() || !header.preview.empty() || !is_tiff(loaded.bytes)) return problem;
  const TiffSamples samples = tiff_samples(loaded.bytes);
  const bool is_usual = samples.kind == TiffSamples::kWhole &&
                        (samples.bits == 1 || samples.bits == 8 || samples.bits == 16);
  if (is_usual) return problem;
  return fmt::format("{}, a TIFF file {}: save it with 8 or 16 bits a sample", problem,
                     kind_of_samples(samples));
}

// Reads a picture in the channels of the mode; modules of one format may add alpha. One of more
// bits than 8 is read without alpha, and again if its 8 upper bits show little.
cv::Mat read_opaque(const std::vector<std::uint8_t>& file, const ImageHeader& header,
                    PixelMode mode, int jpeg_divisor, std::string& problem) {
  cv::Mat pixels = read_image(file, header, mode, jpeg_divisor, problem);
  if (pixels.empty() || !header.deep) return pixels;
  pixels = in_mode(pixels, mode);
  if (!has_few_levels(pixels)) return pixels;
  std::string none;
  const cv::Mat stored = read_image(file, header, PixelMode::kAsStored, 1, none);
  const cv::Mat opaque = stored.channels() == 4 ? in_mode(stored, PixelMode::kColour) : stored;
  const std::optional<cv::Mat> more = stretched(opaque, *header.deep);
  return more ? in_mode(*more, mode) : pixels;
}

// Reads a picture of a checked header. Transparent pixels are laid over a ground.
std::variant<ShownPixels, SkippedFile> read_checked(const LoadedFile& loaded,
                                                    const ImageHeader& header, PixelMode mode,
                                                    int jpeg_divisor) {
  const std::vector<std::uint8_t>& file = header.preview.empty() ? loaded.bytes : header.preview;
  // Modules of one format give the alpha channel in every mode.
  const bool is_stored = header.range || (header.has_alpha && !has_own_module(header.format));
  std::string problem;
  cv::Mat stored = is_stored ? read_image(file, header, PixelMode::kAsStored, 1, problem)
                             : read_opaque(file, header, mode, jpeg_divisor, problem);
  if (stored.empty()) return unread(loaded, with_kind(std::move(problem), loaded, header));
  if (header.range) {
    stored = in_range(stored, *header.range);
    if (!header.has_alpha) stored = in_mode(stored, mode);
  }
  if (is_stored && stored.channels() == 1 && header.transparent_level) {
    stored = with_alpha(stored, *header.transparent_level);
  }
  if (auto shown = compose(stored, header.premultiplied, mode == PixelMode::kColour)) {
    return *std::move(shown);
  }
  // Opaque after all: the reader's own conversion, as for pictures without alpha.
  if (is_stored && !header.range) stored = read_opaque(file, header, mode, jpeg_divisor, problem);
  if (stored.empty()) return unread(loaded, std::move(problem));
  return ShownPixels{.pixels = in_mode(stored, mode),
                     .alpha = {},
                     .damage = header.format == ImageFormat::kJpeg ? std::move(problem) : ""};
}

// Reads the header of the file, or of `preview` if that is not empty.
std::variant<ImageHeader, SkippedFile> own_header(const LoadedFile& loaded,
                                                  std::vector<std::uint8_t> preview) {
  const std::vector<std::uint8_t>& file = preview.empty() ? loaded.bytes : preview;
  if (ends_early(file)) return undecodable(loaded, kEndsEarly);
  std::optional<ImageHeader> header = read_image_header(file);
  // Reject files whose dimensions cannot be checked before decoding.
  if (!header) {
    const std::string_view kind = kind_of_other_file(file);
    return undecodable(loaded, kind.empty() ? "not an image of a known format"
                                            : fmt::format("{}, which is not read", kind));
  }
  header->preview = std::move(preview);
  return *std::move(header);
}

// Raises the size to what decoding may need, so that the limits apply to it. False if that is
// unknown.
bool cover_coded_size(std::span<const std::uint8_t> file, ImageHeader& header) {
  const std::optional<CodedSize> coded = largest_coded_size(file);
  if (coded && coded->pixels() > header.width * header.height) {
    header.width = coded->width;
    header.height = coded->height;
  }
  return coded.has_value();
}

std::variant<ImageHeader, SkippedFile> read_header(const LoadedFile& loaded) {
  const ImageFormat format = format_of(loaded.bytes);
  // Further pages are plain pictures, even if a scanner's tags look like a camera's.
  if (loaded.page > 1) return own_header(loaded, {});
  // A RAW file without a preview may be a TIFF file of a plain picture.
  if (format == ImageFormat::kRaw) return own_header(loaded, raw_preview(loaded.bytes));
  if (has_own_module(format) && has_reader(format)) {
    std::string problem;
    std::optional<ImageHeader> header = read_header_apart(loaded.bytes, format, problem);
    if (!header) return unread(loaded, std::move(problem));
    if (format == ImageFormat::kHeif && !cover_coded_size(loaded.bytes, *header)) {
      return undecodable(loaded, "the size of its coded pictures is unknown");
    }
    return *std::move(header);
  }
  if (format == ImageFormat::kGif) return without_reader(loaded, "this build cannot read GIF");
  if (format == ImageFormat::kHeif)
    return without_reader(loaded, "this build cannot read HEIC or AVIF");
  return own_header(loaded, {});
}

}  // namespace

std::optional<std::string> too_large(std::uint64_t width, std::uint64_t height,
                                     const ImagesOptions& limits) {
  const double megapixels = static_cast<double>(width) * static_cast<double>(height) / 1e6;
  if (megapixels <= limits.max_megapixels) return std::nullopt;
  return fmt::format("{} x {} px exceeds images.max_megapixels = {}", width, height,
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
  try {
    return read_checked(loaded, header, mode, jpeg_divisor);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) return without_memory(loaded.file);
    return undecodable(loaded, "OpenCV: " + exception.err);
  } catch (const std::bad_alloc&) {
    return without_memory(loaded.file);
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
