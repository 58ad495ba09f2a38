#include "tools/serve/thumbnail_cache.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "lookalike thumbnail 1\n";
constexpr std::size_t kHeadBytes = kMagic.size() + 2 * ContentHash{}.size() + 1;
constexpr FileKind kThumbnail{
    .most_bytes = std::size_t{16} << 20U, .may_be_link = false, .beginning = kMagic};

std::string head_of(std::span<const std::uint8_t> jpeg) {
  return fmt::format("{}{}\n", kMagic, to_hex(hash_content(jpeg)));
}

struct CachedFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// Returns the files, those that were not used for longest first.
std::vector<CachedFile> files_in(const fs::path& folder) {
  std::vector<CachedFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    CachedFile file{entry.path(), entry.file_size(error), {}};
    if (!error) file.used = entry.last_write_time(error);
    if (!error) files.push_back(std::move(file));  // else another server has removed it
  }
  std::ranges::sort(files, {}, &CachedFile::used);
  return files;
}

}  // namespace

ThumbnailCache::ThumbnailCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(most_bytes == 0 ? fs::path() : std::move(folder)), most_bytes_(most_bytes) {
  if (!folder_.empty()) make_room();
}

fs::path ThumbnailCache::file_of(const ContentHash& content, int side_px) const {
  return folder_ / fmt::format("{}-{}.thumbnail", to_hex(content), side_px);
}

std::optional<std::vector<std::uint8_t>> ThumbnailCache::load(const ContentHash& content,
                                                              int side_px) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = file_of(content, side_px);
  const std::optional<std::string> bytes = read_file(file, kThumbnail);
  if (!bytes || bytes->size() < kHeadBytes) return std::nullopt;
  const auto jpeg = bytes_of(*bytes).subspan(kHeadBytes);
  if (!bytes->starts_with(head_of(jpeg))) return std::nullopt;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // it was used now
  return std::vector<std::uint8_t>(jpeg.begin(), jpeg.end());
}

void ThumbnailCache::store(const ContentHash& content, int side_px,
                           std::span<const std::uint8_t> jpeg) {
  if (folder_.empty() || kHeadBytes + jpeg.size() > kThumbnail.most_bytes) return;
  std::string file = head_of(jpeg);
  file.append(jpeg.begin(), jpeg.end());
  try {
    create_own_folders(folder_);
    write_atomically(file_of(content, side_px), bytes_of(file), false, FileAccess::kOwner);
  } catch (const Error&) {
    return;  // the next request makes it again
  }
  const std::lock_guard lock(mutex_);
  bytes_ += file.size();
  if (bytes_ > most_bytes_) make_room();
}

// Removes files until a quarter of the space is free, and counts the rest.
void ThumbnailCache::make_room() {
  const std::vector<CachedFile> files = files_in(folder_);
  bytes_ = 0;
  for (const CachedFile& file : files) bytes_ += file.bytes;
  if (bytes_ <= most_bytes_) return;
  for (const CachedFile& file : files) {
    if (bytes_ <= most_bytes_ - most_bytes_ / 4) return;
    std::error_code error;
    fs::remove(file.path, error);
    bytes_ -= file.bytes;
  }
}

}  // namespace lookalike
