#pragma once

namespace lookalike {

// Loads a module: a shared library of lookalike's own, such as "gif_reader.so", that programs load
// when they need it because the libraries behind it take long to load. Returns what it exports, a
// struct that both sides know. The module stays loaded.
//
// The exported variable is named LOOKALIKE_MODULE_EXPORTS, which CMakeLists.txt defines as a name
// with lookalike's version: after an upgrade, a running program must not use modules whose
// interface may have changed. The run path of the program, or of the shared library that this is
// part of, finds the file.
//
// Thread-safe. Throws Error(kInternal) for a module that is missing, cannot be loaded or is of
// another version.
const void* load_module(const char* file_name);

}  // namespace lookalike
