#pragma once

#include <filesystem>

namespace lookalike {

// Loads a module: one of lookalike's own shared libraries, such as "gif_reader.so", which programs
// load on first use because the libraries behind it take long to load. Returns the address of the
// variable that it exports, a struct known to both sides. The module stays loaded.
//
// The variable's name, LOOKALIKE_MODULE_EXPORTS in CMakeLists.txt, contains lookalike's version: a
// program that runs during an upgrade must not use modules whose interface may have changed. The
// file is found by the run path of the program, or of the shared library that contains this code.
//
// Thread-safe. Throws Error(kInternal) for a module that is missing, cannot be loaded or is of
// another version.
const void* load_module(const char* file_name);

// Returns the path of a file in the folder of the modules, which is found in the same way. If the
// file is missing, the path leads nowhere: the name alone would be looked up in the current folder.
// Thread-safe.
std::filesystem::path module_file(const char* file_name);

}  // namespace lookalike
