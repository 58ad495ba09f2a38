#pragma once

#include <string>
#include <vector>

namespace lookalike {

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal's number when one ended it
  std::string out;
  std::string err;
};

// Runs one of our programs ("lookalike", "lookalike-extract") and waits for it. Arguments are
// handed over as they are: no shell is involved. Settings are added to the environment, as
// "NAME=value".
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& settings = {});

}  // namespace lookalike
