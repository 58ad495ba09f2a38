#pragma once

#include "tools/lookalike/commands.h"

namespace lookalike {

// Of a race with SIFT: threads of either side, and the features that SIFT keeps.
inline constexpr int kThreads = 2;
inline constexpr int kSiftFeatures = 2000;

// The subcommands of lookalike-peers, as those of lookalike.
void add_kernel_peers(CLI::App& app, Action& action);
void add_surf_peers(CLI::App& app, Action& action);
void add_index_peers(CLI::App& app, Action& action);
void add_locate_bars(CLI::App& app, Action& action);

}  // namespace lookalike
