#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lookalike {

// The part of the work that one of several processes takes: items index, index + count, ...
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool owns(std::size_t item) const { return item % count == index; }
  bool operator==(const Shard&) const = default;
};

// The value of an environment variable; nullptr for one that is not set.
using Environment = std::function<const char*(const char* name)>;

// A shard as users and batch systems name it:
//   "I/N"     I from 0 to N - 1
//   "I-of-N"  I from 1 to N, as Snakemake's scattergather counts
//   "env"     of the array task that this process is, by the variables of Slurm or AWS Batch
//   "env/N"   the same with the number of shards given: the index of the task counts from 0. Also
//             for Kubernetes, which does not tell the number of tasks, and for arrays that have
//             only some of the tasks, such as those that are submitted again
// Throws Error(kUsage) for anything else, and where the variables do not name one shard of N
// beyond doubt: none is set, or those of two systems; the count is missing or does not fit the
// index; an array in Slurm has gaps or begins above 1.
Shard parse_shard(const std::string& text, const Environment& environment = std::getenv);

// Keeps the shard's part of a list.
template <typename T>
void keep_shard(std::vector<T>& items, const Shard& shard) {
  std::vector<T> own;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (shard.owns(i)) own.push_back(std::move(items[i]));
  }
  items = std::move(own);
}

}  // namespace lookalike
