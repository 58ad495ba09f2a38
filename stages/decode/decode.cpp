#include "stages/decode/decode.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>

#include "base/content_hash.h"
#include "stages/decode/image_header.h"
#include "stages/decode/pixels.h"
#include "stages/decode/resize.h"
#include "storage/atomic_file.h"

namespace lookalike {
namespace {

SkippedFile unreadable(SourceFile file) {
  const int code = errno;
  return skipped(std::move(file), code == ENOENT ? "vanished" : "unreadable",
                 std::generic_category().message(code));
}

// Reads up to bytes.size() bytes and cuts the vector to what there was. False on an error.
bool read_all(int descriptor, std::vector<std::uint8_t>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return true;
}

std::int64_t modified_ns(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// Whether the file is no longer what it was when it was opened.
bool has_changed(int descriptor, const SourceFile& file) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 ||
         static_cast<std::uint64_t>(status.st_size) != file.size_bytes ||
         modified_ns(status) != file.modified_ns;
}

// Why an image of this size is too small; nothing when it is not.
std::optional<std::string> too_small(std::uint64_t width, std::uint64_t height, double scale) {
  if (std::min(width, height) < kMinSidePx) {
    return fmt::format("{} x {} px: the shorter side is under {} px", width, height, kMinSidePx);
  }
  if (vanishes(width, height, scale)) {
    return fmt::format("{} x {} px: nothing is left of the shorter side at {:.4g} of the size",
                       width, height, scale);
  }
  return std::nullopt;
}

// libjpeg can leave out frequencies and give an image of half, a quarter or an eighth of the size
// in much less time. Taken where that loses nothing: the sides divide evenly, so that coordinates
// stay exact, and what comes is still at least as large as what is wanted.
int jpeg_divisor(const ImageHeader& header, std::uint32_t longest_side_px) {
  if (!header.jpeg) return 1;
  for (const int divisor : {8, 4, 2}) {
    const auto d = static_cast<std::uint64_t>(divisor);
    const bool exact = header.width % d == 0 && header.height % d == 0;
    if (exact && std::max(header.width, header.height) / d >= longest_side_px) return divisor;
  }
  return 1;
}

int gray_mode(int divisor) {
  return divisor == 8   ? cv::IMREAD_REDUCED_GRAYSCALE_8
         : divisor == 4 ? cv::IMREAD_REDUCED_GRAYSCALE_4
         : divisor == 2 ? cv::IMREAD_REDUCED_GRAYSCALE_2
                        : cv::IMREAD_GRAYSCALE;
}

}  // namespace

WantedSize wanted_size(const ExtractOptions& options) {
  return {options.longest_side_px, options.enlarge_to_px};
}

std::variant<LoadedFile, SkippedFile> load_file(const std::string& path,
                                                const ImagesOptions& limits) {
  LoadedFile loaded;
  loaded.file.path = path;
  // Not to wait for a writer should the file have become a FIFO.
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.number(), &status) != 0) {
    return unreadable(loaded.file);
  }
  if (!S_ISREG(status.st_mode)) return skipped(loaded.file, "unreadable", "not a regular file");
  loaded.file.size_bytes = static_cast<std::uint64_t>(status.st_size);
  loaded.file.modified_ns = modified_ns(status);
  if (loaded.file.size_bytes == 0) return skipped(loaded.file, "empty", "the file has no bytes");
  if (loaded.file.size_bytes > std::uint64_t{limits.max_file_mib} << 20) {
    return skipped(loaded.file, "too_large",
                   fmt::format("{} bytes are more than images.max_file_mib = {}",
                               loaded.file.size_bytes, limits.max_file_mib));
  }
  loaded.bytes.resize(loaded.file.size_bytes);
  if (!read_all(descriptor.number(), loaded.bytes)) return unreadable(loaded.file);
  if (has_changed(descriptor.number(), loaded.file)) {
    return skipped(loaded.file, "changing", "the file was written to while it was read");
  }
  loaded.content = hash_content(loaded.bytes);
  return loaded;
}

std::variant<DecodedImage, SkippedFile> decode(const LoadedFile& loaded, WantedSize size,
                                               const ImagesOptions& limits) {
  auto checked = check_header(loaded, limits);
  if (auto* file = std::get_if<SkippedFile>(&checked)) return std::move(*file);
  const ImageHeader& header = std::get<ImageHeader>(checked);
  const double scale = scale_for(header.width, header.height, size);
  if (auto why = too_small(header.width, header.height, scale)) {
    return skipped(loaded.file, "too_small", std::move(*why));
  }
  const int divisor = jpeg_divisor(header, size.at_most_px);
  auto decoded = decode_pixels(loaded, header, gray_mode(divisor));
  if (auto* file = std::get_if<SkippedFile>(&decoded)) return std::move(*file);
  const auto& [gray, alpha] = std::get<ShownPixels>(decoded);
  DecodedImage image;
  image.record = {loaded.file, loaded.content, gray.cols * divisor, gray.rows * divisor};
  const auto width = static_cast<std::uint64_t>(image.record.width);
  const auto height = static_cast<std::uint64_t>(image.record.height);
  image.scale = scale_for(width, height, size);
  if (auto why = too_large(width, height, limits)) {
    return skipped(loaded.file, "too_large", std::move(*why));
  }
  if (auto why = too_small(width, height, image.scale)) {
    return skipped(loaded.file, "too_small", std::move(*why));
  }
  image.pixels = resized(gray, image.scale * divisor);
  if (!alpha.empty()) image.alpha = resized(alpha, image.scale * divisor);
  return image;
}

std::variant<DecodedImage, SkippedFile> decode_file(const std::string& path, WantedSize size,
                                                    const ImagesOptions& limits) {
  auto loaded = load_file(path, limits);
  if (auto* file = std::get_if<SkippedFile>(&loaded)) return std::move(*file);
  return decode(std::get<LoadedFile>(loaded), size, limits);
}

}  // namespace lookalike
