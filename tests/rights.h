#pragma once

#include <filesystem>
#include <sys/fsuid.h>
#include <unistd.h>

namespace lookalike {

inline constexpr auto kReadOnly = static_cast<std::filesystem::perms>(0444);
inline constexpr auto kReadOnlyFolder = static_cast<std::filesystem::perms>(0555);
inline constexpr auto kOpenFolder = static_cast<std::filesystem::perms>(0777);

// Root may write everywhere, so for a test of rights its thread acts as nobody does.
class WithoutRootRights {
 public:
  WithoutRootRights() {
    if (::geteuid() == 0) ::setfsuid(65534);
  }
  ~WithoutRootRights() { ::setfsuid(::geteuid()); }
  WithoutRootRights(const WithoutRootRights&) = delete;
  WithoutRootRights& operator=(const WithoutRootRights&) = delete;
};

}  // namespace lookalike
