#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"

namespace lookalike {

// One page of a file: the file's bytes, read once, with that page made the first.
struct LoadedFile {
  SourceFile file;        // the page's name; size and time when the file was opened
  ContentHash content{};  // of the page
  std::vector<std::uint8_t> bytes;
  std::uint32_t page = 1;
  std::vector<std::size_t> pages{};  // places of a TIFF file's pages; empty for other files
};

// Reads and hashes a file, or a page of one by its name (base/page_name.h). Reasons for skipping
// it: "vanished", "unreadable" (or not a regular file), "empty", "too_large" (limits.max_file_mib,
// max_pages), "changing" (while it was read), "no_page" (the file has fewer), "no_memory".
std::variant<LoadedFile, SkippedFile> load_file(const std::string& name,
                                                const ImagesOptions& limits);

// Reads and hashes an image by its name in the index, as load_file() does. Several threads call it.
using ImageLoader = std::function<std::variant<LoadedFile, SkippedFile>(const std::string& name)>;

// Returns a file as skipped because memory ran out while it was read ("no_memory").
SkippedFile without_memory(SourceFile file);

// Returns a page, 1 to loaded.pages.size(), of a file that was loaded as its first page.
LoadedFile page_of_loaded(const LoadedFile& loaded, std::uint32_t number);

// Wraps a file in memory; `name` is for messages.
LoadedFile loaded_bytes(std::string name, std::vector<std::uint8_t> bytes);

}  // namespace lookalike
