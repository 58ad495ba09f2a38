#pragma once

#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lookalike {

// /dev/null, among the descriptors of start_program().
inline constexpr int kNowhere = -1;

// Starts a program with no signal blocked, in a process group of its own, so that Ctrl-C and Ctrl-Z
// do not reach it. Returns its number; returns nothing and sets errno if it cannot be started.
//   words        its name, searched for as a shell does unless it has a slash, and its arguments
//   descriptors  descriptors of this process, which it has as 0, 1, 2, ...; it has no others
//   settings     NAME=VALUE, in place of this process's variables of these names
std::optional<pid_t> start_program(std::vector<std::string> words, std::span<const int> descriptors,
                                   std::vector<std::string> settings = {});

}  // namespace lookalike
