#pragma once

namespace lookalike {

// The program lookalike-store: parses its command line, does its work and returns the exit code.
// Throws Error.
int store_command(int argc, const char* const* argv);

}  // namespace lookalike
