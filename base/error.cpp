#include "base/error.h"

namespace lookalike {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kInput:
      return 3;
    case ErrorKind::kDevice:
      return 4;
    case ErrorKind::kStorage:
      return 5;
    case ErrorKind::kInternal:
      break;
  }
  return 70;
}

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kInput:
      return "input";
    case ErrorKind::kDevice:
      return "device";
    case ErrorKind::kStorage:
      return "storage";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::kInternal, message);
}

}  // namespace lookalike
