#include "stages/decode/decode.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/text.h"
#include "stages/decode/decoders.h"
#include "stages/decode/image_header.h"
#include "stages/decode/large_turn.h"
#include "stages/decode/tiff_pages.h"

namespace lookalike {
namespace {

SkippedFile unreadable(SourceFile file) {
  const int code = errno;
  return {std::move(file), code == ENOENT ? "vanished" : "unreadable",
          std::generic_category().message(code)};
}

// Whether the file has changed since it was opened.
bool has_changed(int descriptor, const SourceFile& file) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 ||
         static_cast<std::uint64_t>(status.st_size) != file.size_bytes ||
         modified_ns(status) != file.modified_ns;
}

// The factor that brings an image to the wanted size.
double scale_for(std::uint64_t width, std::uint64_t height, WantedSize size) {
  const std::uint64_t longest = std::max(width, height);
  const std::uint64_t least = std::min(size.at_least_px, size.at_most_px);
  const std::uint64_t wanted = std::clamp<std::uint64_t>(longest, least, size.at_most_px);
  return static_cast<double>(wanted) / static_cast<double>(longest);
}

// Resized by exactly `factor` on both axes, by area averaging or cubic interpolation; the last
// pixel of a side may be a partial one. Throws std::bad_alloc.
GrayImage resized(const cv::Mat& gray, double factor) {
  cv::Mat result = gray;
  const int method = factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC;
  try {
    if (factor != 1) cv::resize(gray, result, {}, factor, factor, method);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    throw;
  }
  GrayImage image(result.cols, result.rows);
  result.copyTo(cv::Mat(result.rows, result.cols, CV_8U, image.pixels.data()));
  return image;
}

// Why an image of this size is too small; nothing when it is not.
std::optional<std::string> too_small(std::uint64_t width, std::uint64_t height, double scale) {
  if (std::min(width, height) < kMinSidePx) {
    return fmt::format("{} x {} px: the shorter side is under {} px", width, height, kMinSidePx);
  }
  // As cv::resize rounds, which refuses a side of 0 px: halves to the even number.
  if (cvRound(static_cast<double>(std::min(width, height)) * scale) < 1) {
    return fmt::format("{} x {} px: nothing is left of the shorter side at {:.4g} of the size",
                       width, height, scale);
  }
  return std::nullopt;
}

// Brings an image's pixels, each `divisor` px of the full size wide, to the wanted size. Reason for
// skipping: "too_small".
std::variant<DecodedImage, SkippedFile> fitted(ImageRecord record, const cv::Mat& gray,
                                               const cv::Mat& alpha, int divisor, WantedSize size) {
  const auto width = static_cast<std::uint64_t>(record.width);
  const auto height = static_cast<std::uint64_t>(record.height);
  DecodedImage image;
  image.scale = scale_for(width, height, size);
  if (auto why = too_small(width, height, image.scale)) {
    return SkippedFile{std::move(record.file), "too_small", std::move(*why)};
  }
  image.record = std::move(record);
  image.pixels = resized(gray, image.scale * divisor);
  if (!alpha.empty()) image.alpha = resized(alpha, image.scale * divisor);
  return image;
}

constexpr std::uint32_t kAnySide = std::numeric_limits<std::uint32_t>::max();

bool lies_in(const Region& region, const ImageRecord& photo) {
  return region.width <= photo.width && region.x <= photo.width - region.width &&
         region.height <= photo.height && region.y <= photo.height - region.height;
}

// A view.
cv::Mat part_of(GrayImage& image, const Region& region) {
  const cv::Mat whole(image.height, image.width, CV_8U, image.pixels.data());
  return whole(cv::Rect(region.x, region.y, region.width, region.height));
}

// The first page of a file.
std::variant<LoadedFile, SkippedFile> load_whole(const std::string& path,
                                                 const ImagesOptions& limits) {
  LoadedFile loaded;
  loaded.file.path = path;
  // Does not block, in case the file has become a FIFO.
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.number(), &status) != 0) {
    return unreadable(loaded.file);
  }
  if (!S_ISREG(status.st_mode)) return SkippedFile{loaded.file, "unreadable", "not a regular file"};
  loaded.file.size_bytes = static_cast<std::uint64_t>(status.st_size);
  loaded.file.modified_ns = modified_ns(status);
  if (loaded.file.size_bytes == 0)
    return SkippedFile{loaded.file, "empty", "the file has no bytes"};
  if (loaded.file.size_bytes > std::uint64_t{limits.max_file_mib} << 20) {
    return SkippedFile{loaded.file, "too_large",
                       fmt::format("{} bytes are more than images.max_file_mib = {}",
                                   loaded.file.size_bytes, limits.max_file_mib)};
  }
  loaded.bytes.resize(loaded.file.size_bytes);
  const bool is_read = move_all(loaded.bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::read(descriptor.number(), loaded.bytes.data() + done, left);
  });
  std::optional<SkippedFile> failure;
  if (!is_read) failure = unreadable(loaded.file);      // while errno is that of the reading
  if (has_changed(descriptor.number(), loaded.file)) {  // which may have ended the reading
    return SkippedFile{loaded.file, "changing", "the file was written to while it was read"};
  }
  if (failure) return *std::move(failure);
  loaded.content = hash_content(loaded.bytes);
  loaded.pages = tiff_pages(loaded.bytes, std::size_t{limits.max_pages} + 1);
  if (loaded.pages.size() > limits.max_pages) {
    return SkippedFile{
        loaded.file, "too_large",
        fmt::format("it has more pages than images.max_pages = {}", limits.max_pages)};
  }
  return loaded;
}

// Of a file that was loaded as its first page.
void turn_to(LoadedFile& loaded, std::uint32_t page) {
  if (page == 1) return;
  loaded.page = page;
  loaded.file.path = page_name(loaded.file.path, page);
  loaded.content = page_content(loaded.content, page);
  make_first_page(loaded.bytes, loaded.pages.at(page - 1));
}

// Of a file whose header check_header() has read.
std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, const ImageHeader& header,
                                               WantedSize size, const ImagesOptions& limits) {
  const LargeTurn turn(header);
  const double scale = scale_for(header.width, header.height, size);
  if (auto why = too_small(header.width, header.height, scale)) {
    return SkippedFile{loaded.file, "too_small", std::move(*why)};
  }
  const int divisor = jpeg_divisor(header, size.at_most_px);
  auto decoded = decode_pixels(loaded, header, PixelMode::kGray, divisor);
  if (auto* file = std::get_if<SkippedFile>(&decoded)) return std::move(*file);
  const auto& [gray, alpha] = std::get<ShownPixels>(decoded);
  ImageRecord record{loaded.file, loaded.content, gray.cols * divisor, gray.rows * divisor};
  if (auto why = too_large(static_cast<std::uint64_t>(record.width),
                           static_cast<std::uint64_t>(record.height), limits)) {
    return SkippedFile{loaded.file, "too_large", std::move(*why)};
  }
  return fitted(std::move(record), gray, alpha, divisor, size);
}

}  // namespace

WantedSize wanted_size(const ExtractOptions& options) {
  return {options.longest_side_px, options.enlarge_to_px};
}

std::variant<LoadedFile, SkippedFile> load_file(const std::string& name,
                                                const ImagesOptions& limits) {
  const Page page = page_of(name);
  // A file of that very name comes first.
  std::error_code unknown;
  if (page.file == name || std::filesystem::exists(name, unknown)) return load_whole(name, limits);
  auto whole = load_whole(page.file, limits);
  if (auto* missing = std::get_if<SkippedFile>(&whole)) return std::move(*missing);
  auto& loaded = std::get<LoadedFile>(whole);
  const std::size_t pages = std::max<std::size_t>(1, loaded.pages.size());
  if (page.number <= pages) {
    turn_to(loaded, page.number);
    return whole;
  }
  loaded.file.path = name;
  return SkippedFile{std::move(loaded.file), "no_page",
                     fmt::format("the file has {} {}", pages, pages == 1 ? "page" : "pages")};
}

LoadedFile page_of_loaded(const LoadedFile& loaded, std::uint32_t number) {
  LoadedFile page = loaded;
  turn_to(page, number);
  return page;
}

std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits) {
  auto checked = check_header(loaded, limits);
  if (auto* file = std::get_if<SkippedFile>(&checked)) return std::move(*file);
  return decode(loaded, std::get<ImageHeader>(checked), size, limits);
}

std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  return decode(std::get<LoadedFile>(loaded), size, limits);
}

Region parse_region(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ',')) {
    numbers.push_back(parse_number<int>(part).value_or(-1));
  }
  if (numbers.size() == 4 && std::min(numbers[0], numbers[1]) >= 0 &&
      std::min(numbers[2], numbers[3]) >= kMinSidePx) {
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("region: must be X,Y,WIDTH,HEIGHT in whole px, X and Y at least 0, "
                          "WIDTH and HEIGHT at least {}, was \"{}\"",
                          kMinSidePx, text));
}

std::variant<DecodedImage, SkippedFile> decode_region(const std::string& path, const Region& region,
                                                      WantedSize size,
                                                      const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
  return decode_region(std::get<LoadedFile>(loaded), region, size, limits);
}

std::variant<DecodedImage, SkippedFile> decode_region(const LoadedFile& loaded,
                                                      const Region& region, WantedSize size,
                                                      const ImagesOptions& limits) {
  auto checked = check_header(loaded, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&checked)) return std::move(*skipped);
  const auto& header = std::get<ImageHeader>(checked);
  const LargeTurn turn(header);  // until the rest of the photo is dropped
  auto decoded = decode(loaded, header, kAnySide, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  DecodedImage image = std::get<DecodedImage>(std::move(decoded));
  if (!lies_in(region, image.record)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: the region {},{},{},{} leaves the photo, which is {} x {} px",
                            loaded.file.path, region.x, region.y, region.width, region.height,
                            image.record.width, image.record.height));
  }
  ImageRecord record = image.record;
  record.width = region.width;
  record.height = region.height;
  const cv::Mat alpha = image.alpha.empty() ? cv::Mat() : part_of(image.alpha, region);
  auto part = fitted(std::move(record), part_of(image.pixels, region), alpha, 1, size);
  if (auto* skipped = std::get_if<SkippedFile>(&part)) {
    skipped->detail = "region of " + skipped->detail;
  }
  return part;
}

LoadedFile loaded_bytes(std::string name, std::vector<std::uint8_t> bytes) {
  LoadedFile loaded;
  loaded.file.path = std::move(name);
  loaded.file.size_bytes = bytes.size();
  loaded.content = hash_content(bytes);
  loaded.bytes = std::move(bytes);
  return loaded;
}

}  // namespace lookalike
