#include "tools/command_line/standard_input.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <sys/mman.h>
#include <utility>

#include <fmt/format.h>

namespace lookalike {

std::string StandardInput::file_of(const std::string& name) {
  if (name != "-") return name;
  if (!file_) {
    constexpr const char* kName = "standard input";
    FileDescriptor memory(::memfd_create(kName, MFD_CLOEXEC));
    if (!memory.is_open()) fail_file(kName, "cannot be kept");
    file_.emplace(std::move(memory), kName);
    std::size_t left = (std::size_t{limits_.max_file_mib} << 20U) + 1;
    std::array<char, 65536> buffer{};
    while (left > 0) {
      std::cin.read(buffer.data(), buffer.size());
      const std::size_t bytes = std::min(left, static_cast<std::size_t>(std::cin.gcount()));
      if (bytes == 0) break;
      file_->write(bytes_of({buffer.data(), bytes}));
      left -= bytes;
    }
    file_->flush();
  }
  return fmt::format("/proc/self/fd/{}", file_->number());
}

}  // namespace lookalike
