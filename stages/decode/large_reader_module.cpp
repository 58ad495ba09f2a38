// Reads large JPEG, PNG and Netpbm files as the program itself reads smaller ones.
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

cv::Mat read_reduced(std::span<const std::uint8_t> file, PixelMode mode, int divisor,
                     std::string& problem) {
  const ImageFormat format = format_of(file);
  if (is_linked(format)) return read_linked(file, format, mode, divisor, problem);
  problem = kOtherSize;
  return {};
}

}  // namespace

extern "C" {
extern const ImageReader LOOKALIKE_MODULE_EXPORTS;
const ImageReader LOOKALIKE_MODULE_EXPORTS = {.read_reduced = read_reduced};
}

}  // namespace lookalike
