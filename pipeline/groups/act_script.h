#pragma once

#include <filesystem>
#include <string>

#include "pipeline/groups/act.h"

namespace lookalike {

// Begins each script.
inline constexpr const char* kScriptMark = "#!/bin/sh\n# Duplicates that lookalike found: ";

// Returns a shell script for GNU tools that writes the log of a plan and takes its steps. Right
// before each step it compares exact copies byte by byte, and of other files the size and time.
std::string script_of(const ActionPlan& plan, const std::filesystem::path& log);

}  // namespace lookalike
