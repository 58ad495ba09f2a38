#include "base/module.h"

#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <vector>

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

std::filesystem::path module_file(const char* file_name) {
  // The object that contains this code: the program, or lookalike's shared library.
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&module_file), &own);
  void* object = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  // A program is not found by its name.
  if (object == nullptr) object = ::dlopen(nullptr, RTLD_LAZY);
  if (object == nullptr) return file_name;
  const std::unique_ptr<void, int (*)(void*)> owner(object, ::dlclose);
  Dl_serinfo size{};
  if (::dlinfo(object, RTLD_DI_SERINFOSIZE, &size) != 0) return file_name;
  std::vector<std::byte> bytes(size.dls_size);
  auto& folders = *reinterpret_cast<Dl_serinfo*>(bytes.data());
  ::dlinfo(object, RTLD_DI_SERINFOSIZE, &folders);
  ::dlinfo(object, RTLD_DI_SERINFO, &folders);
  for (unsigned i = 0; i < folders.dls_cnt; ++i) {
    std::filesystem::path file = std::filesystem::path(folders.dls_serpath[i].dls_name) / file_name;
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown)) return file;
  }
  if (folders.dls_cnt == 0) return file_name;
  return std::filesystem::path(folders.dls_serpath[0].dls_name) / file_name;
}

}  // namespace lookalike
