#pragma once

#include <stdexcept>
#include <string>

namespace lookalike {

// What went wrong, by who can mend it. The values are the exit codes of the process.
enum class ErrorKind {
  kUsage = 2,      // the command line or the configuration
  kInput = 3,      // a given image, folder or artefact file
  kDevice = 4,     // OpenCL: no device, a failed launch; also lack of memory
  kStorage = 5,    // the database or the disk
  kInternal = 70,  // a bug in lookalike
};

// Other exit codes. A stopping signal adds its number to kExitSignalled.
inline constexpr int kExitDone = 0;
inline constexpr int kExitSkippedItems = 1;
inline constexpr int kExitNothingFound = 6;  // on request, see `query --fail-if-none`
inline constexpr int kExitSignalled = 128;

inline int exit_code(ErrorKind kind) {
  return static_cast<int>(kind);
}

// The one exception of the project. Messages read "where: what, and the value that was there".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// Throws Error(kInternal, message) unless the condition holds.
inline void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::kInternal, message);
}

}  // namespace lookalike
