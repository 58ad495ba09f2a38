#pragma once

#include <CLI/CLI.hpp>

#include "config/options.h"
#include "storage/index_reader.h"
#include "storage/output_guard.h"
#include "tools/command_line/command_line.h"

namespace lookalike {

// Protects images: the names in the configured folders that would be indexed and, given an index,
// those in its own folders and the files that it knows, including quarantined ones. The index must
// outlive the guard's last open().
void protect_images(OutputGuard& guard, const RunConfig& config, const IndexReader* index);

// --force, for commands that write files.
class OutputArguments {
 public:
  explicit OutputArguments(CLI::App& command);

  // A guard that protects the configuration file, the configured index, and images as
  // protect_images() does. Add the other inputs of the command before the first open().
  OutputGuard guard(const ConfigArguments& arguments, const RunConfig& config,
                    const IndexReader* index = nullptr) const;

 private:
  bool force_ = false;
};

}  // namespace lookalike
