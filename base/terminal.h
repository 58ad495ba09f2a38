#pragma once

#include <cstddef>
#include <cstdio>

// Properties of the terminal that a program writes to.
namespace lookalike {

// Returns the columns of the terminal of a stream; 80 if unknown, 0 if the stream is no terminal.
std::size_t terminal_columns(std::FILE* stream);

// True if text on a stream should be coloured: never if NO_COLOR is set and not empty, else always
// if CLICOLOR_FORCE is set and not "0", else on a terminal that is not "dumb". Conventions:
// https://no-color.org, https://bixense.com/clicolors.
bool use_colour(std::FILE* stream);

}  // namespace lookalike
