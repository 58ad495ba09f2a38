#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lookalike {

// One process's part of the work: items index, index + count, index + 2 count, ...
struct FileShard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool owns(std::size_t item) const { return item % count == index; }
  bool operator==(const FileShard&) const = default;
};

// Returns the value of an environment variable, nullptr if it is not set.
using Environment = std::function<const char*(const char* name)>;

// Parses a shard:
//   "I/N"     I from 0 to N - 1
//   "I-of-N"  I from 1 to N, as in Snakemake's scattergather
//   "env"     the array task of this process, from the variables of Slurm or AWS Batch
//   "env/N"   the same with the number of shards given and task indices from 0: for Kubernetes,
//             which does not set the number of tasks, and for arrays with some of the tasks, such
//             as resubmitted ones
// Throws Error(kUsage) for other texts and for ambiguous variables: none or two systems' are set,
// the count is missing or does not fit the index, a Slurm array has gaps or begins above 1.
FileShard parse_shard(const std::string& text, const Environment& environment = std::getenv);

// Reduces a list to the shard's part.
template <typename T>
void keep_shard(std::vector<T>& items, const FileShard& shard) {
  std::vector<T> own;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (shard.owns(i)) own.push_back(std::move(items[i]));
  }
  items = std::move(own);
}

}  // namespace lookalike
