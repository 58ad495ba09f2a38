#include "pipeline/error.h"

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

void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::kInternal, message);
}

}  // namespace lookalike
