#include "stages/decode/load.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

SkippedFile unreadable(SourceFile file) {
  const int code = errno;
  return {std::move(file), code == ENOENT ? "vanished" : "unreadable",
          std::generic_category().message(code)};
}

// True if the file has changed since it was opened.
bool has_changed(int descriptor, const SourceFile& file) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 ||
         static_cast<std::uint64_t>(status.st_size) != file.size_bytes ||
         modified_ns(status) != file.modified_ns;
}

std::variant<LoadedFile, SkippedFile> load_whole(const std::string& path,
                                                 const ImagesOptions& limits) {
  LoadedFile loaded;
  loaded.file.path = path;
  // O_NONBLOCK: the file may have become a FIFO.
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.number(), &status) != 0) {
    return unreadable(loaded.file);
  }
  if (!S_ISREG(status.st_mode)) return SkippedFile{loaded.file, "unreadable", "not a regular file"};
  loaded.file = source_file(path, status);
  if (loaded.file.size_bytes == 0)
    return SkippedFile{loaded.file, "empty", "the file has no bytes"};
  if (loaded.file.size_bytes > std::uint64_t{limits.max_file_mib} << 20) {
    return SkippedFile{loaded.file, "too_large",
                       fmt::format("{} bytes exceed images.max_file_mib = {}",
                                   loaded.file.size_bytes, limits.max_file_mib)};
  }
  loaded.bytes.resize(loaded.file.size_bytes);
  const bool is_read = move_all(loaded.bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::read(descriptor.number(), loaded.bytes.data() + done, left);
  });
  std::optional<SkippedFile> failure;
  if (!is_read) failure = unreadable(loaded.file);      // before errno changes
  if (has_changed(descriptor.number(), loaded.file)) {  // perhaps why reading failed
    return SkippedFile{loaded.file, "changing", "the file was written to while it was read"};
  }
  if (failure) return *std::move(failure);
  loaded.content = hash_content(loaded.bytes);
  auto pages = tiff_pages(loaded.bytes, std::size_t{limits.max_pages} + 1);
  if (!pages) {
    return SkippedFile{loaded.file, "too_large", "more entries in its directories than are read"};
  }
  loaded.pages = *std::move(pages);
  if (loaded.pages.size() > limits.max_pages) {
    return SkippedFile{loaded.file, "too_large",
                       fmt::format("more pages than images.max_pages = {}", limits.max_pages)};
  }
  return loaded;
}

// Turns a file that was loaded as its first page to another page.
void turn_to(LoadedFile& loaded, std::uint32_t page) {
  if (page == 1) return;
  loaded.page = page;
  loaded.file.path = page_name(loaded.file.path, page);
  loaded.content = page_content(loaded.content, page);
  make_first_page(loaded.bytes, loaded.pages.at(page - 1));
}

}  // namespace

SkippedFile without_memory(SourceFile file) {
  return {std::move(file), "no_memory", "reading it takes more memory than there is"};
}

std::variant<LoadedFile, SkippedFile> load_file(const std::string& name,
                                                const ImagesOptions& limits) try {
  const Page page = page_of(name);
  // A file whose very name looks like a page's comes first.
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
} catch (const std::bad_alloc&) {
  SourceFile file;
  file.path = name;
  return without_memory(std::move(file));
}

LoadedFile page_of_loaded(const LoadedFile& loaded, std::uint32_t number) {
  LoadedFile page = loaded;
  turn_to(page, number);
  return page;
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
