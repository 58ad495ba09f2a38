#include "tools/command_line/standard_input.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>

#include "base/files.h"

namespace lookalike {

std::string StandardInput::file_of(const std::string& name) {
  if (name != "-") return name;
  const auto file_name = [this] { return folder_->path() / "standard-input"; };
  if (folder_) return file_name();
  folder_.emplace();
  AtomicFile file(file_name());
  std::size_t left = (std::size_t{limits_.max_file_mib} << 20U) + 1;
  std::array<char, 65536> buffer{};
  while (left > 0) {
    std::cin.read(buffer.data(), buffer.size());
    const std::size_t bytes = std::min(left, static_cast<std::size_t>(std::cin.gcount()));
    if (bytes == 0) break;
    file.write(bytes_of({buffer.data(), bytes}));
    left -= bytes;
  }
  file.commit(false);
  return file_name();
}

}  // namespace lookalike
