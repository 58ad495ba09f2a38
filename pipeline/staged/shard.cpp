#include "pipeline/staged/shard.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/text.h"

namespace lookalike {
namespace {

// The variables by which a batch system describes an array task; nullptr for missing ones.
struct ArrayVariables {
  const char* index;
  const char* count;
  const char* first;  // index of the first task; without the variable 0
  const char* last;
};
constexpr ArrayVariables kSystems[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_MAX"},
    {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", nullptr, nullptr},
    {"JOB_COMPLETION_INDEX", nullptr, nullptr, nullptr}};

constexpr std::string_view kEnvironment = "env";
constexpr std::string_view kFromOne = "-of-";

[[noreturn]] void refuse_shard(const std::string& what) {
  throw Error(ErrorKind::kUsage, "--shard: " + what);
}

[[noreturn]] void refuse_form(const std::string& text) {
  refuse_shard(
      "must be I/N with I from 0 to N - 1, I-of-N with I from 1 to N, env or env/N, was \"" + text +
      "\"");
}

const ArrayVariables& system_of(const Environment& environment) {
  const ArrayVariables* found = nullptr;
  for (const ArrayVariables& system : kSystems) {
    if (environment(system.index) == nullptr) continue;
    if (found != nullptr) {
      refuse_shard(fmt::format("{} and {} are both set: give I/N", found->index, system.index));
    }
    found = &system;
  }
  if (found == nullptr) {
    refuse_shard(fmt::format("this is not an array task: none of {}, {} and {} is set; give I/N",
                             kSystems[0].index, kSystems[1].index, kSystems[2].index));
  }
  return *found;
}

std::size_t number_in(const char* variable, const Environment& environment) {
  const char* const text = environment(variable);
  if (text == nullptr) refuse_shard(fmt::format("{} is not set: give env/N", variable));
  const auto number = parse_number<std::size_t>(text);
  if (!number)
    refuse_shard(fmt::format("{} must be a number from 0 up, was \"{}\"", variable, text));
  return *number;
}

// count: the number of shards, if the user gave it.
FileShard shard_of_task(std::optional<std::size_t> count, const Environment& environment) {
  const ArrayVariables& system = system_of(environment);
  FileShard shard{.index = number_in(system.index, environment), .count = count.value_or(0)};
  if (!count) {
    if (system.count == nullptr) {
      refuse_shard(
          fmt::format("{} does not come with the number of tasks: give env/N, N as in "
                      "completions",
                      system.index));
    }
    shard.count = number_in(system.count, environment);
    if (system.first != nullptr) {
      const std::size_t first = number_in(system.first, environment);
      const std::size_t last = number_in(system.last, environment);
      if (first > 1 || last + 1 - first != shard.count) {
        refuse_shard(
            fmt::format("an array of {} tasks from {} to {} may be part of another: give env/N, "
                        "with task indices from 0 that are the shards' indices",
                        shard.count, first, last));
      }
      shard.index -= first;
    }
  }
  if (shard.index >= shard.count) {
    refuse_shard(fmt::format("{} is {}, but the {} shards count from 0", system.index,
                             environment(system.index), shard.count));
  }
  return shard;
}

}  // namespace

FileShard parse_shard(const std::string& text, const Environment& environment) {
  if (text == kEnvironment) return shard_of_task(std::nullopt, environment);
  const std::size_t middle = text.find(kFromOne);
  const bool from_one = middle != std::string::npos;
  const std::size_t end = from_one ? middle : text.find('/');
  if (end == std::string::npos) refuse_form(text);
  const std::string before = text.substr(0, end);
  const auto count = parse_number<std::size_t>(text.substr(end + (from_one ? kFromOne.size() : 1)));
  if (!count || *count == 0) refuse_form(text);
  if (!from_one && before == kEnvironment) return shard_of_task(*count, environment);
  const auto number = parse_number<std::size_t>(before);
  const std::size_t first = from_one ? 1 : 0;
  if (!number || *number < first || *number - first >= *count) refuse_form(text);
  return {.index = *number - first, .count = *count};
}

}  // namespace lookalike
