#pragma once

// What most commands need.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/json.h"
#include "tools/command_line/format.h"

namespace lookalike {

// Every command with its group in --help, in the order of --help.
#define LOOKALIKE_COMMANDS(COMMAND) \
  COMMAND(query, "Search")          \
  COMMAND(duplicates, "Search")     \
  COMMAND(reject, "Search")         \
  COMMAND(explain, "Search")        \
  COMMAND(locate, "Search")         \
  COMMAND(serve, "Search")          \
  COMMAND(init, "Index")            \
  COMMAND(index, "Index")           \
  COMMAND(show, "Index")            \
  COMMAND(list, "Index")            \
  COMMAND(folders, "Index")         \
  COMMAND(quarantine, "Index")      \
  COMMAND(runs, "Index")            \
  COMMAND(move, "Upkeep")           \
  COMMAND(remove, "Upkeep")         \
  COMMAND(merge, "Upkeep")          \
  COMMAND(retrain, "Upkeep")        \
  COMMAND(calibrate, "Upkeep")      \
  COMMAND(check, "Upkeep")          \
  COMMAND(backup, "Upkeep")         \
  COMMAND(compact, "Upkeep")        \
  COMMAND(config, "Upkeep")         \
  COMMAND(evaluate, "Measure")      \
  COMMAND(features, "Measure")      \
  COMMAND(formats, "Measure")       \
  COMMAND(devices, "Measure")       \
  COMMAND(tune, "Measure")          \
  COMMAND(bench, "Measure")

// Each of add_query_command() ... is defined in query_command.cpp ..., and adds the command as
// add_command() does.
#define DECLARE_COMMAND(name, heading) void add_##name##_command(CLI::App& app, Action& action);
LOOKALIKE_COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

// Parses the whole command line and runs the command that it names; returns the exit code.
// Throws Error of every kind.
int run_lookalike(int argc, const char* const* argv);

}  // namespace lookalike
