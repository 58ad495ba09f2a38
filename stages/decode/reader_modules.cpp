#include "stages/decode/reader_modules.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/error.h"

#define LOOKALIKE_QUOTED(name) #name
#define LOOKALIKE_TEXT_OF(name) LOOKALIKE_QUOTED(name)

namespace lookalike {
namespace {

constexpr const char* kExportsName = LOOKALIKE_TEXT_OF(LOOKALIKE_MODULE_EXPORTS);

template <ReaderModule module>
const void* exports_of() {
  static const void* const exports =
      is_built(module) ? load_module(std::string(file_name(module)).c_str()) : nullptr;
  return exports;
}

}  // namespace

const void* load_module(const char* file_name) {
  void* const module = ::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
  const void* const exports = module ? ::dlsym(module, kExportsName) : nullptr;
  if (exports == nullptr) {
    throw Error(ErrorKind::kInternal,
                fmt::format("image codecs: a part of lookalike, {}, {}: {}", file_name,
                            module ? "is of another version; start the program again"
                                   : "cannot be loaded; install it again",
                            ::dlerror()));
  }
  return exports;
}

const PictureReader* picture_reader(ImageFormat format) {
  switch (format) {
    case ImageFormat::kGif:
      return static_cast<const PictureReader*>(exports_of<ReaderModule::kGif>());
    case ImageFormat::kHeif:
      return static_cast<const PictureReader*>(exports_of<ReaderModule::kHeif>());
    case ImageFormat::kAnimatedWebp:
      return static_cast<const PictureReader*>(exports_of<ReaderModule::kWebp>());
    default:
      return nullptr;
  }
}

std::string missing_part(const ImageFormatInfo& format) {
  if (!format.is_built_in()) return fmt::format("build lookalike with {}", format.package);
  try {
    if (format.library == "OpenCV") load_module("opencv_codecs.so");
    if (format.package.empty()) return {};
    const void* const exports = load_module(std::string(file_name(format.module)).c_str());
    if (format.plugin_package.empty() ||
        static_cast<const PictureReader*>(exports)->has_decoder(format.name)) {
      return {};
    }
    return fmt::format("install {}", format.plugin_package);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace lookalike
