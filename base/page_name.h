#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/artefacts.h"

// Names of pages. Files are indexed page by page; the first page has the name and the content hash
// of the file, like a file with a single page.
namespace lookalike {

struct Page {
  std::string file;  // a path
  std::uint32_t number = 1;
};

// Parses a name: "scan.tif[2]" is the second page of scan.tif, "scan.tif" the first.
Page page_of(std::string_view name);
std::string page_name(const std::string& file, std::uint32_t number);

// True if the file of a page exists, or this cannot be determined.
bool has_file(const std::string& name);

// Derives the content hash of a page from that of its file.
ContentHash page_content(const ContentHash& file, std::uint32_t number);

}  // namespace lookalike
