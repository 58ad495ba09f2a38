#include "stages/decode/tiff_pages.h"

#include <unordered_set>

#include "stages/decode/bytes.h"
#include "stages/decode/image_header.h"

namespace lookalike {
namespace {

bool is_of_another_page(const TiffDirectory& directory) {
  constexpr std::uint64_t kSubfileType = 254;
  constexpr std::uint64_t kSmallerCopyOrMask = 0b101;
  std::uint64_t type = 0;
  directory.for_each_entry(
      [&](std::uint64_t tag, std::uint64_t /*count*/, std::uint64_t value, std::size_t /*place*/) {
        if (tag == kSubfileType) type = value;
      });
  return (type & kSmallerCopyOrMask) != 0;
}

}  // namespace

std::vector<std::size_t> tiff_pages(std::span<const std::uint8_t> file, std::size_t at_most) {
  if (file.size() < 8 || !is_tiff(file) || format_of(file) == ImageFormat::kRaw) return {};
  std::vector<std::size_t> pages;
  std::unordered_set<std::size_t> seen;  // the chain may lead back into itself
  for (TiffDirectory directory = first_directory(file);
       directory.at != 0 && directory.at < file.size(); directory.at = directory.next()) {
    if (!seen.insert(directory.at).second || pages.size() == at_most) break;
    if (pages.empty() || !is_of_another_page(directory)) pages.push_back(directory.at);
  }
  return pages;
}

void make_first_page(std::span<std::uint8_t> file, std::size_t page) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t shift = 8 * (file[0] == 'I' ? i : 3 - i);
    file[4 + i] = static_cast<std::uint8_t>(page >> shift);
  }
}

}  // namespace lookalike
