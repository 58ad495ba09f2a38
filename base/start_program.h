#pragma once

#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lookalike {

// Among the descriptors of start_program(): /dev/null.
inline constexpr int kNowhere = -1;

// Starts a program with no signal blocked, in a process group of its own, since Ctrl-C and Ctrl-Z
// are for this program. Returns its number; nothing, and sets errno, if it cannot be started.
//   words        its name, searched for as a shell does unless it has a slash, and its arguments
//   descriptors  what it has from descriptor 0 on; nothing else is open in it
//   settings     NAME=VALUE, in place of this program's variables of these names
std::optional<pid_t> start_program(std::vector<std::string> words, std::span<const int> descriptors,
                                   std::vector<std::string> settings = {});

}  // namespace lookalike
