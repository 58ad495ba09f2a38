#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/options.h"
#include "pipeline/progress.h"

namespace lookalike {

// The options of `lookalike evaluate --synthetic`.
struct SyntheticArguments {
  explicit SyntheticArguments(CLI::App& command);

  bool chosen = false;
  std::vector<std::string> kinds;  // empty: all
  std::size_t photos = 100;        // at most
  std::uint64_t seed = 1;
  std::string report;  // a page; empty: none
};

// Makes photos different and looks them up. The photos are those under [images] folders; without
// folders, all that the index holds. The index is [store] database, which is only read; without
// one, the folders are indexed into a temporary one. Writes what was asked for and returns the exit
// code.
//   answers  a CSV file with each answer; empty: none
// Throws Error of every kind.
int evaluate_synthetic(const SyntheticArguments& arguments, const RunConfig& config, bool json,
                       const std::string& answers, Progress::Style style);

}  // namespace lookalike
