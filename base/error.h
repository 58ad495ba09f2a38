#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lookalike {

// What went wrong, by who can mend it.
enum class ErrorKind {
  kUsage,     // the command line or the configuration
  kInput,     // an image, a folder or an artefact that was given
  kDevice,    // OpenCL: no device, a launch that failed
  kStorage,   // the database or the disk
  kInternal,  // a bug of ours
};

// The one exception of the project. The message reads
// "where: what, and the value that was there".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// Process exit codes.
inline constexpr int kExitDone = 0;
inline constexpr int kExitSkippedItems = 1;

// Exit code of a process that ends with this kind of error:
// usage 2, input 3, device 4, storage 5, internal 70.
int exit_code(ErrorKind kind);

// "usage", "input", "device", "storage", "internal".
std::string_view to_string(ErrorKind kind);

// Throws Error(kInternal, message) unless the condition holds.
void require(bool condition, const char* message);

}  // namespace lookalike
