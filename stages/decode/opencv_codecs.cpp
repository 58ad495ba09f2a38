#include "stages/decode/opencv_codecs.h"

#include <dlfcn.h>

#include "base/error.h"

namespace lookalike {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::kInternal,
              std::string("image codecs: a part of lookalike, " LOOKALIKE_OPENCV_CODECS
                          ", cannot be loaded; install it again: ") +
                  ::dlerror());
}

// Found by the run path of the program, which CMakeLists.txt sets. Never closed.
const OpenCvCodecs& load_module() {
  void* const module = ::dlopen(LOOKALIKE_OPENCV_CODECS, RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr) refuse();
  const void* const codecs = ::dlsym(module, kOpenCvCodecsName);
  if (codecs == nullptr) refuse();
  return *static_cast<const OpenCvCodecs*>(codecs);
}

}  // namespace

const OpenCvCodecs& opencv_codecs() {
  static const OpenCvCodecs& codecs = load_module();
  return codecs;
}

std::vector<std::uint8_t> encode_image(const std::string& extension, const cv::Mat& image,
                                       int jpeg_quality) {
  std::vector<std::uint8_t> file;
  require(opencv_codecs().encode(extension, image, jpeg_quality, file),
          "encode_image: OpenCV made no file");
  return file;
}

}  // namespace lookalike
