#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/artefacts.h"

// Files of several pages are indexed page by page. The first page has the name and the content hash
// of the file, so that nothing distinguishes it from a file of one page.
namespace lookalike {

struct Page {
  std::string file;  // a path
  std::uint32_t number = 1;
};

// "scan.tif[2]" is the second page of scan.tif; any other name is the first page of the file of
// that name.
Page page_of(std::string_view name);
std::string page_name(const std::string& file, std::uint32_t number);

// Whether the file of a page exists; true where that cannot be determined.
bool has_file(const std::string& name);

// The identity of a page, by that of its file.
ContentHash page_content(const ContentHash& file, std::uint32_t number);

}  // namespace lookalike
