#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookalike {

// Where the pages of a TIFF file are: its directories in the order of their chain, but, after the
// first, for those of smaller copies and masks of other pages (tag 254, NewSubfileType, bits 0 and
// 2). No more than `at_most`. Empty for other formats, for camera RAW files and for BigTIFF. Never
// reads past the bytes. Method: Adobe, TIFF Revision 6.0, section 2.
std::vector<std::size_t> tiff_pages(std::span<const std::uint8_t> file, std::size_t at_most);

// Makes a page the first of its file, the one that readers read.
void make_first_page(std::span<std::uint8_t> file, std::size_t page);

}  // namespace lookalike
