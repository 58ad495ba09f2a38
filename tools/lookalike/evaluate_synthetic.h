#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/progress.h"
#include "config/options.h"
#include "storage/index_reader.h"
#include "storage/output_file.h"

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

struct SyntheticOutputs {
  bool json = false;                  // on standard output, instead of a table
  std::optional<OutputFile> answers;  // suite_answers_csv()
  std::optional<OutputFile> page;     // suite_page()
};

// Makes photos different and looks them up. The photos are those under [images] folders; without
// folders, all that the index holds. Without an index, the folders are indexed into a temporary
// one. Writes the outputs and returns the exit code.
// Throws Error of every kind.
int evaluate_synthetic(const SyntheticArguments& arguments, const RunConfig& config,
                       const IndexReader* index, SyntheticOutputs outputs, Progress::Style style);

}  // namespace lookalike
