#include "stages/decode/large_image_lock.h"

#include <cstdint>

#include "base/work_limits.h"

namespace lookalike {
namespace {

constexpr std::uint64_t kLargeFileBytes = std::uint64_t{32} << 20U;
constexpr std::uint64_t kLargePixelBytes = 64'000'000;

// Some readers cannot decode to grey.
bool is_large(const ImageHeader& header, PixelMode mode) {
  const bool is_gray = mode == PixelMode::kGray && !header.has_alpha && !header.range &&
                       header.format != ImageFormat::kHeif;
  return header.width * header.height * (is_gray ? 1 : 4) > kLargePixelBytes;
}

// Returns the process's one mutex: its threads share its memory.
std::recursive_mutex& process_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

void check_allowed() {
  const WorkLimits* const limits = WorkLimits::current();
  if (limits != nullptr && !limits->allows_large_images()) throw LargeImage();
}

}  // namespace

LargeImageLock::LargeImageLock(const SourceFile& file) : lock_(process_mutex(), std::defer_lock) {
  if (file.size_bytes <= kLargeFileBytes) return;
  check_allowed();
  lock_.lock();
}

LargeImageLock::LargeImageLock(const ImageHeader& header, PixelMode mode)
    : lock_(process_mutex(), std::defer_lock) {
  if (!is_large(header, mode)) return;
  check_allowed();
  lock_.lock();
}

}  // namespace lookalike
