#pragma once

namespace lookalike {

// The program lookalike-extract: parses its command line, does its work and returns the exit code.
// Throws Error.
int extract_command(int argc, const char* const* argv);

}  // namespace lookalike
