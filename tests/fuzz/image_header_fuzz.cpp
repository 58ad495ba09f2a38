// Image files, of which lookalike itself reads the headers: any bytes have a format, and a header
// with a size or none. What looks at bytes must not read past them.

#include <cstddef>
#include <span>
#include <vector>

#include "stages/decode/file_description.h"
#include "stages/decode/heif_size.h"
#include "stages/decode/image_header.h"
#include "stages/decode/raw_preview.h"
#include "stages/decode/tiff.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> exact(data, data + size);  // so that a sanitizer sees its end
  const std::span<const std::uint8_t> bytes(exact.data(), exact.size());
  const ImageFormat format = format_of(bytes);
  const auto header = read_image_header(bytes);
  if (header) promise(header->width > 0 && header->height > 0);
  if (header && header->format != ImageFormat::kOther) promise(header->format == format);
  if (ends_early(bytes)) promise(format == ImageFormat::kJpeg || format == ImageFormat::kPng);
  exif_orientation(bytes);
  largest_coded_size(bytes);
  const FileDescription description = describe_file(bytes);
  if (!description.unknown.empty()) promise(held_beyond(description, description).has_value());
  if (description.steps)
    promise(description.jpeg_quality() >= 1 && description.jpeg_quality() <= 100);
  for (const std::size_t page : tiff_pages(bytes, 100).value_or(std::vector<std::size_t>())) {
    std::vector<std::uint8_t> turned = exact;
    make_first_page(turned, page);
    read_image_header(turned);
  }
  const std::vector<std::uint8_t> preview = raw_preview(bytes);
  if (!preview.empty()) promise(format_of(preview) == ImageFormat::kJpeg);
  return 0;
}
