#pragma once

#include <stdexcept>
#include <string>

namespace lookalike {

// Kind of an error, by who can fix it. The values are exit codes.
enum class ErrorKind {
  kUsage = 2,      // the command line or the configuration
  kInput = 3,      // a given image, folder or artefact file
  kDevice = 4,     // OpenCL: no device, a failed launch; out of memory
  kStorage = 5,    // the database or the disk
  kInternal = 70,  // a bug in lookalike
};

// Other exit codes. The number of a stopping signal is added to kExitSignalled.
inline constexpr int kExitDone = 0;
inline constexpr int kExitSkippedItems = 1;
inline constexpr int kExitNothingFound = 6;  // on request, see `query --fail-if-none`
inline constexpr int kExitIncomplete = 7;    // of a run; see incomplete_because()
inline constexpr int kExitSignalled = 128;

inline int exit_code(ErrorKind kind) {
  return static_cast<int>(kind);
}

// The base of the project's errors. Messages read "where: what, and the offending value".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// Thrown when another process has held a lock for longer than the caller waits.
class Busy : public Error {
 public:
  explicit Busy(const std::string& message) : Error(ErrorKind::kStorage, message) {}
};

// Throws Error(kInternal, message) unless the condition holds.
inline void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::kInternal, message);
}

}  // namespace lookalike
