#include "storage/paths.h"

#include <system_error>

#include "base/error.h"

namespace lookalike {

std::filesystem::path resolved(const std::filesystem::path& file) {
  std::error_code error;
  // Absolute first: what is not there is only made canonical as far as it exists.
  std::filesystem::path path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file), error);
  if (error) throw Error(ErrorKind::kInput, file.string() + ": " + error.message());
  return path;
}

}  // namespace lookalike
