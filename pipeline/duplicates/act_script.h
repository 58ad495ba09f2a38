#pragma once

#include <filesystem>
#include <string>

#include "pipeline/duplicates/act.h"

namespace lookalike {

// Begins each script.
inline constexpr const char* kScriptMark = "#!/bin/sh\n# Duplicates that lookalike found: ";

// Returns a plan as a script for a POSIX shell that lets a program carry it out: a line for each
// file, in the form of a log's. People can read it and delete lines.
//   program  the path of lookalike
std::string script_of(const ActionPlan& plan, const std::filesystem::path& program);

}  // namespace lookalike
