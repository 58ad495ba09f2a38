#pragma once

namespace lookalike {

// The program lookalike-match: parses its command line, does its work and returns the exit code.
// Throws Error.
int match_command(int argc, const char* const* argv);

}  // namespace lookalike
