#pragma once

#include "tools/command_line/command_line.h"

namespace lookalike {

// The subcommands of lookalike-peers; each is added as by add_command().
void add_kernel_peers(CLI::App& app, Action& action);
void add_surf_peers(CLI::App& app, Action& action);
void add_index_peers(CLI::App& app, Action& action);
void add_locate_bars(CLI::App& app, Action& action);

}  // namespace lookalike
