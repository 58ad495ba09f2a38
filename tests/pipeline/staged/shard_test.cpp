#include "pipeline/staged/shard.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

FileShard shard_in(const Variables& variables, const std::string& text) {
  return parse_shard(text, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// Returns why a text is refused.
std::string refusal(const std::string& text, const Variables& variables = {}) {
  try {
    shard_in(variables, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

Variables slurm(const char* id, const char* first, const char* last, const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

TEST(Shards, CountFromZeroOrFromOne) {
  EXPECT_EQ(shard_in({}, "0/8"), (FileShard{0, 8}));
  EXPECT_EQ(shard_in({}, "7/8"), (FileShard{7, 8}));
  EXPECT_EQ(shard_in({}, "1-of-8"), (FileShard{0, 8}));
  EXPECT_EQ(shard_in({}, "8-of-8"), (FileShard{7, 8}));
}

TEST(Shards, OfOtherFormsAreRefused) {
  for (const char* text : {"", "1", "8/8", "0-of-8", "9-of-8", "-1/2", "0/0", "1-of-0", "0/2x",
                           "0/", "/2", "1-of-", "environment", "env/", "env/0", "env-of-3"}) {
    EXPECT_THAT(refusal(text), HasSubstr("--shard: must be I/N")) << text;
  }
}

TEST(Shards, AreThoseOfTheTasksOfAnArray) {
  EXPECT_EQ(shard_in(slurm("3", "0", "7", "8"), "env"), (FileShard{3, 8}));
  EXPECT_EQ(shard_in(slurm("3", "1", "8", "8"), "env"), (FileShard{2, 8}));
  EXPECT_EQ(
      shard_in({{"AWS_BATCH_JOB_ARRAY_INDEX", "2"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "3"}}, "env"),
      (FileShard{2, 3}));
}

TEST(Shards, OfAnArrayThatMayBeAPartNeedTheirNumber) {
  // Resubmitted tasks of eight: 3 and 4, and 3 and 5.
  for (const Variables& variables :
       {slurm("3", "3", "4", "2"), slurm("3", "3", "5", "2"), slurm("0", "0", "14", "8")}) {
    EXPECT_THAT(refusal("env", variables), HasSubstr("give env/N"));
  }
  EXPECT_EQ(shard_in(slurm("3", "3", "5", "2"), "env/8"), (FileShard{3, 8}));
  EXPECT_THAT(refusal("env/8", slurm("8", "1", "8", "8")),
              HasSubstr("SLURM_ARRAY_TASK_ID is 8, but the 8 shards count from 0"));
}

TEST(Shards, OfKubernetesNeedTheirNumber) {
  EXPECT_THAT(refusal("env", {{"JOB_COMPLETION_INDEX", "1"}}), HasSubstr("give env/N"));
  EXPECT_EQ(shard_in({{"JOB_COMPLETION_INDEX", "1"}}, "env/4"), (FileShard{1, 4}));
}

TEST(Shards, OfVariablesThatNameNoneAreRefused) {
  EXPECT_THAT(refusal("env"), HasSubstr("this is not an array task"));
  EXPECT_THAT(refusal("env/4"), HasSubstr("this is not an array task"));
  EXPECT_THAT(refusal("env", {{"AWS_BATCH_JOB_ARRAY_INDEX", "2"}}),
              HasSubstr("AWS_BATCH_JOB_ARRAY_SIZE is not set"));
  EXPECT_THAT(refusal("env/4", {{"JOB_COMPLETION_INDEX", "one"}}), HasSubstr("was \"one\""));
  EXPECT_THAT(refusal("env/4", {{"JOB_COMPLETION_INDEX", "1"}, {"AWS_BATCH_JOB_ARRAY_INDEX", "2"}}),
              HasSubstr("both set"));
}

TEST(Shards, ShareAListWithoutRest) {
  std::vector<int> all;
  for (std::size_t index = 0; index < 3; ++index) {
    std::vector<int> items = {0, 1, 2, 3, 4, 5, 6};
    keep_shard(items, {index, 3});
    all.insert(all.end(), items.begin(), items.end());
  }
  EXPECT_THAT(all, testing::ElementsAre(0, 3, 6, 1, 4, 2, 5));
}

}  // namespace
}  // namespace lookalike
