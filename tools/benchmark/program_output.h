#pragma once

#include <string>
#include <vector>

namespace lookalike {

// What a program prints on stdout, by when it has ended; no shell comes between.
//   command  its path, then its arguments
// Throws Error(kInput) when it cannot be started or ends with another code than 0.
std::string program_output(const std::vector<std::string>& command);

}  // namespace lookalike
