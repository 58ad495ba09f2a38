#pragma once

namespace lookalike {

// The program lookalike-assign: parses its command line, does its work and returns the exit code.
// Throws Error.
int assign_command(int argc, const char* const* argv);

}  // namespace lookalike
