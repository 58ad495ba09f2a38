#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace lookalike {

// While it lives, the process cannot have more address space than so much beyond what it has.
// Sanitizers need more than any limit.
class AddressSpaceLimit {
 public:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kIsPossible = false;
#else
  static constexpr bool kIsPossible = true;
#endif

  explicit AddressSpaceLimit(std::uint64_t bytes) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    if (pages == 0 || ::setrlimit(RLIMIT_AS, &limit) != 0) {
      throw std::runtime_error("address space cannot be limited");
    }
  }
  ~AddressSpaceLimit() {
    ::setrlimit(RLIMIT_AS, &before_);
  }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace lookalike
