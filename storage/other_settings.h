#pragma once

#include <string>

#include "base/error.h"

namespace lookalike {

// The index was made under other settings than those that were given.
class OtherSettings : public Error {
 public:
  explicit OtherSettings(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};

}  // namespace lookalike
