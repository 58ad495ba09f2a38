#pragma once

#include <cstddef>
#include <cstdio>

// What a program may assume of the terminal that it writes to.
namespace lookalike {

// Columns of the terminal behind a stream; 80 for one of unknown width, 0 for what is no terminal.
std::size_t terminal_columns(std::FILE* stream);

// Whether to colour text on a stream: never where NO_COLOR is set and not empty, else always where
// CLICOLOR_FORCE is set and not "0", else on a terminal that is not "dumb".
// Conventions: https://no-color.org, https://bixense.com/clicolors.
bool use_colour(std::FILE* stream);

}  // namespace lookalike
