#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace lookalike {

// What a subcommand does, once the command line is parsed; returns the exit code.
using Action = std::function<int()>;

// Each adds a subcommand; parsing sets `action` when the subcommand was named.
void add_index_command(CLI::App& app, Action& action);
void add_query_command(CLI::App& app, Action& action);
void add_locate_command(CLI::App& app, Action& action);
void add_features_command(CLI::App& app, Action& action);
void add_show_command(CLI::App& app, Action& action);
void add_devices_command(CLI::App& app, Action& action);
void add_config_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_tune_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_runs_command(CLI::App& app, Action& action);
void add_quarantine_command(CLI::App& app, Action& action);
void add_calibrate_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_compact_command(CLI::App& app, Action& action);
void add_folders_command(CLI::App& app, Action& action);
void add_move_command(CLI::App& app, Action& action);
void add_remove_command(CLI::App& app, Action& action);
void add_retrain_command(CLI::App& app, Action& action);
void add_migrate_command(CLI::App& app, Action& action);

// Parses the whole command line and does what it asks for; returns the exit code.
// Throws Error of every kind.
int run_lookalike(int argc, const char* const* argv);

}  // namespace lookalike
