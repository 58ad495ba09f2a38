#include "tools/command_line/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "base/error.h"

namespace lookalike {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  std::string name = parent / "lookalike-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::kStorage, fmt::format("{}: the temporary folder cannot be created: {}",
                                                 name, std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lookalike
