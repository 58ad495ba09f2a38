#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace lookalike {

// Adds the subcommands that draw pictures: posters, files, copies, scene, crop, stranger, result.
// Parsing sets `action` to what the one that was named does.
void add_example_commands(CLI::App& app, std::function<int()>& action);

}  // namespace lookalike
