#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The formats of image files: names, endings and the libraries that read them.
namespace lookalike {

// Loadable modules, each built if the library that it reads with was found.
enum class ReaderModule { kGif, kHeif, kMetadata, kWebp };

// "gif_reader.so"
std::string_view file_name(ReaderModule module);

// True if the module was built with this program.
bool is_built(ReaderModule module);

struct ImageFormatInfo {
  std::string_view name;
  std::vector<std::string_view> endings;  // in lower case, without the dot; the usual one first
  std::string_view library;
  std::string_view package;              // Debian package to build the module with; empty: none
  ReaderModule module{};                 // if there is a package
  std::string_view plugin_package = {};  // Debian package of the library's decoder, if separate

  bool is_built_in() const { return package.empty() || is_built(module); }
};

// Returns all formats, first those that need no module.
std::span<const ImageFormatInfo> image_formats();

// Returns the endings of the formats that are built in, each once: the default of
// images.extensions.
std::vector<std::string> default_extensions();

}  // namespace lookalike
