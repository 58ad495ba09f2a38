// Files of the formats that OpenCV reads, once the header check lets them pass. ReaderProcess
// refuses a picture of another size than the header states.

#include <cstddef>
#include <span>

#include <opencv2/imgcodecs.hpp>

#include "stages/decode/image_header.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMaxPixels = 1'000'000;
  const std::span<const std::uint8_t> file(data, size);
  const auto header = read_image_header(file);
  if (!header || header->format != ImageFormat::kOther) return 0;
  if (header->width * header->height > kMaxPixels) return 0;
  try {
    const cv::Mat bytes(1, static_cast<int>(size), CV_8U, const_cast<std::uint8_t*>(data));
    cv::imdecode(bytes, cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {  // damage
  }
  return 0;
}
