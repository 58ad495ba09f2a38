#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The formats of image files: what each is called, which endings it has and which library reads it.
namespace lookalike {

// Modules in the folder lookalike of the libraries, each of which reads by one library and is built
// where that library was found.
enum class ReaderModule { kGif, kHeif, kWebp };

// "gif_reader.so"
std::string_view file_name(ReaderModule module);

// Whether it was built with this program.
bool is_built(ReaderModule module);

struct ImageFormatInfo {
  std::string_view name;
  std::vector<std::string_view> endings;  // in lower case, without the dot; the usual one first
  std::string_view library;
  std::string_view package;              // of Debian, to build the module with; empty: no module
  ReaderModule module{};                 // where there is a package
  std::string_view plugin_package = {};  // of Debian, where the library has its decoder apart

  bool is_built_in() const { return package.empty() || is_built(module); }
};

// All of them, those that need no module first.
std::span<const ImageFormatInfo> image_formats();

// The endings of the formats that are built in, each once: the default of images.extensions.
std::vector<std::string> default_extensions();

}  // namespace lookalike
