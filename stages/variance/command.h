#pragma once

namespace lookalike {

// The program lookalike-variance: parses its command line, does its work and returns the exit code.
// Throws Error.
int variance_command(int argc, const char* const* argv);

}  // namespace lookalike
