#pragma once

#include "tools/command_line/command_line.h"

namespace lookalike {

// Each adds a subcommand, as add_command() does.
void add_init_command(CLI::App& app, Action& action);
void add_index_command(CLI::App& app, Action& action);
void add_query_command(CLI::App& app, Action& action);
void add_duplicates_command(CLI::App& app, Action& action);
void add_reject_command(CLI::App& app, Action& action);
void add_serve_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_locate_command(CLI::App& app, Action& action);
void add_features_command(CLI::App& app, Action& action);
void add_show_command(CLI::App& app, Action& action);
void add_devices_command(CLI::App& app, Action& action);
void add_formats_command(CLI::App& app, Action& action);
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
void add_list_command(CLI::App& app, Action& action);
void add_move_command(CLI::App& app, Action& action);
void add_remove_command(CLI::App& app, Action& action);
void add_merge_command(CLI::App& app, Action& action);
void add_retrain_command(CLI::App& app, Action& action);
void add_migrate_command(CLI::App& app, Action& action);

// Parses the whole command line and runs the command that it names; returns the exit code.
// Throws Error of every kind.
int run_lookalike(int argc, const char* const* argv);

}  // namespace lookalike
