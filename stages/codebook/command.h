#pragma once

namespace lookalike {

// The program lookalike-codebook: parses its command line, does its work and returns the exit code.
// Throws Error.
int codebook_command(int argc, const char* const* argv);

}  // namespace lookalike
