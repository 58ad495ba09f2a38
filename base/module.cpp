#include "base/module.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/error.h"

#define LOOKALIKE_QUOTED(name) #name
#define LOOKALIKE_TEXT_OF(name) LOOKALIKE_QUOTED(name)

namespace lookalike {

const void* load_module(const char* file_name) {
  void* const module = ::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
  const void* const exports =
      module ? ::dlsym(module, LOOKALIKE_TEXT_OF(LOOKALIKE_MODULE_EXPORTS)) : nullptr;
  if (exports != nullptr) return exports;
  throw Error(ErrorKind::kInternal, fmt::format("module {} {}: {}", file_name,
                                                module ? "has another version; restart the program"
                                                       : "cannot be loaded; reinstall lookalike",
                                                ::dlerror()));
}

}  // namespace lookalike
