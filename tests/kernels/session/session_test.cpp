#include "kernels/session/session.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionTest : public ::testing::Test {
 protected:
  std::vector<fs::path> cached() const {
    return {fs::directory_iterator(folder_.path()), fs::directory_iterator()};
  }

  // Adds 7 to a 64-bit sum once per item.
  static std::uint64_t sum_of(OpenClSession& session, std::size_t items) {
    cl::Kernel kernel = session.kernel({"session/int64_atomics.cl"}, "add_to_sum");
    const std::vector<std::uint64_t> zero = {0};
    const cl::Buffer sum = session.upload<std::uint64_t>(zero);
    set_arguments(kernel, sum, cl_ulong{7});
    session.launch(kernel, "add", {items});
    std::vector<std::uint64_t> result(1);
    session.read<std::uint64_t>(sum, result);
    return result[0];
  }

  TemporaryFolder folder_;
};

TEST_F(SessionTest, UploadedValuesComeBack) {
  OpenClSession session;
  const std::vector<int> values = {3, 1, 4, 1, 5};
  const cl::Buffer buffer = session.upload<int>(values);
  std::vector<int> back(3);
  session.read<int>(buffer, back, 2);
  EXPECT_THAT(back, ElementsAre(4, 1, 5));
}

TEST_F(SessionTest, ViewShowsTheFirstValues) {
  OpenClSession session;
  const std::vector<std::int32_t> values = {3, 1, 4, 1, 5};
  const cl::Buffer buffer = session.upload<std::int32_t>(values);
  for (const std::size_t count : {std::size_t{0}, std::size_t{2}, values.size()}) {
    std::vector<std::int32_t> seen = {-1};
    session.view<std::int32_t>(buffer, count,
                               [&](auto shown) { seen.assign(shown.begin(), shown.end()); });
    EXPECT_EQ(seen, std::vector<std::int32_t>(values.data(), values.data() + count));
  }
}

TEST_F(SessionTest, WhatIsComposedIsOnTheDevice) {
  OpenClSession session;
  const cl::Buffer buffer = session.upload<int>(std::vector<int>{7, 7, 7});
  session.compose<int>(buffer, 2, [](std::span<int> values) {
    ASSERT_EQ(values.size(), 2U);
    values[0] = 1;
    values[1] = 2;
  });
  std::vector<int> found(3);
  session.read<int>(buffer, found);
  EXPECT_THAT(found, testing::ElementsAre(1, 2, 7));
  session.compose<int>(buffer, 0, [](std::span<int> values) { EXPECT_TRUE(values.empty()); });
}

// On a GPU they go through memory that is used again.
TEST_F(SessionTest, ManyCopiesOfAllSizesStayApart) {
  OpenClSession session;
  constexpr std::size_t kMost = 3 << 20;
  std::vector<cl::Buffer> buffers;
  const auto value = [](std::size_t round, std::size_t i) {
    return static_cast<int>(round * 7 + i);
  };
  for (std::size_t round = 0; round < 3; ++round) {
    buffers.clear();
    for (std::size_t i = 0; i < 40; ++i) {
      const std::vector<int> values(i % 8 == 0 ? kMost / sizeof(int) : i + 1, value(round, i));
      buffers.push_back(session.upload<int>(values));
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      session.view<int>(buffers[i], 1, [&](std::span<const int> seen) {
        std::vector<int> other(1);
        session.read<int>(buffers.back(), other);  // while a piece is held
        EXPECT_EQ(other[0], value(round, buffers.size() - 1));
        EXPECT_EQ(seen[0], value(round, i));
      });
    }
  }
}

TEST_F(SessionTest, ASessionSleepsWhileAGpuWorks) {
  OpenClSession session;
  const cl::Buffer buffer = session.upload<int>(std::vector<int>{1, 2});
  int waits = 0;
  session.wait_asleep([&](const std::function<void()>& wait) {
    ++waits;
    wait();
  });
  std::vector<int> found(2);
  session.read<int>(buffer, found);
  session.view<int>(buffer, 2, [](std::span<const int> values) { EXPECT_EQ(values[1], 2); });
  EXPECT_THAT(found, ElementsAre(1, 2));
  EXPECT_EQ(waits, session.is_cpu() ? 0 : 2);
}

TEST_F(SessionTest, QueuesOfOneDeviceWorkAtTheSameTime) {
  OpenClSession session;
  if (!session.has_int64_atomics()) GTEST_SKIP() << "no 64-bit atomics on this device";
  std::vector<std::uint64_t> sums(8);
  parallel_for(sums.size(), 4, [&](std::size_t i) {
    OpenClSession own = session.another_queue();
    for (int run = 0; run < 20; ++run) sums[i] += sum_of(own, i + 1);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 140 * (i + 1));
}

TEST_F(SessionTest, QueuesShareTheMemoryLimit) {
  OpenClSession session({.memory_limit_bytes = 1000});
  OpenClSession other = session.another_queue();
  const cl::Buffer most = session.allocate(700);
  EXPECT_THROW(other.allocate(400), DeviceOutOfMemory);
  EXPECT_NO_THROW(other.allocate(300));
}

TEST_F(SessionTest, FeatureIsProbedOnceForAllQueuesOfADevice) {
  OpenClSession session;
  OpenClSession other = session.another_queue();
  EXPECT_TRUE(session.supports("one", [] { return true; }));
  EXPECT_TRUE(other.supports("one", [] { return false; }));
  const auto refuse = []() -> bool { throw Error(ErrorKind::kDevice, "refused"); };
  EXPECT_FALSE(session.supports("two", refuse));
  EXPECT_FALSE(session.supports("two", [] { return true; }));
}

TEST_F(SessionTest, ProbeThatRunsOutOfMemoryDecidesNothing) {
  OpenClSession session;
  const auto run_out = []() -> bool { throw DeviceOutOfMemory("full"); };
  EXPECT_FALSE(session.supports("feature", run_out));
  EXPECT_TRUE(session.supports("feature", [] { return true; }));
  EXPECT_TRUE(session.supports("feature", run_out));
}

TEST_F(SessionTest, LaunchOverNothingDoesNothing) {
  OpenClSession session;
  if (!session.has_int64_atomics()) GTEST_SKIP() << "no 64-bit atomics on this device";
  EXPECT_EQ(sum_of(session, 0), 0U);
  EXPECT_EQ(sum_of(session, 5), 35U);
}

TEST_F(SessionTest, ProfileCountsLaunchesByLabel) {
  OpenClSession session({.profile = true});
  if (!session.has_int64_atomics()) GTEST_SKIP() << "no 64-bit atomics on this device";
  session.drain_profile();
  sum_of(session, 1);
  sum_of(session, 1);
  const auto times = session.drain_profile();
  ASSERT_TRUE(times.contains("add"));
  EXPECT_EQ(times.at("add").launches, 2U);
  EXPECT_GT(times.at("add").total_ms, 0);
  EXPECT_TRUE(session.drain_profile().empty());
}

TEST_F(SessionTest, ProfileOfManyLaunchesCountsThemAll) {
  constexpr std::size_t kMany = 1100;
  OpenClSession session({.profile = true});
  if (!session.has_int64_atomics()) GTEST_SKIP() << "no 64-bit atomics on this device";
  session.drain_profile();
  for (std::size_t i = 0; i < kMany; ++i) sum_of(session, 1);
  EXPECT_EQ(session.drain_profile().at("add").launches, kMany);
}

TEST_F(SessionTest, MemoryLimitIsHeldAndFreedMemoryCountsAgain) {
  OpenClSession session({.memory_limit_bytes = 1000});
  {
    const cl::Buffer held = session.allocate(900);
    EXPECT_THROW(session.allocate(200), DeviceOutOfMemory);
  }
  session.finish();
  EXPECT_NO_THROW(session.allocate(900));
}

TEST_F(SessionTest, CompilerErrorShowsTheLog) {
  OpenClSession session;
  try {
    session.kernel({"session/int64_atomics.cl"}, "add_to_sum", "-Dadd_to_sum=not+a+name");
    FAIL() << "the build must fail";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("not+a+name"));
  }
}

TEST_F(SessionTest, ProgramIsCachedAndADamagedCacheIsRebuilt) {
  const SessionOptions options = {.program_cache = folder_.path()};
  OpenClSession(options).kernel({"session/int64_atomics.cl"}, "add_to_sum");
  ASSERT_EQ(cached().size(), 1U);
  const fs::path file = cached().front();

  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary | std::ios::ate).write("x", 1);
  EXPECT_NO_THROW(OpenClSession(options).kernel({"session/int64_atomics.cl"}, "add_to_sum"));

  std::ofstream(file, std::ios::trunc) << "not a program";
  EXPECT_NO_THROW(OpenClSession(options).kernel({"session/int64_atomics.cl"}, "add_to_sum"));
  EXPECT_GT(fs::file_size(file), 100U);
}

TEST_F(SessionTest, ProgramWhoseBinariesKilledTwoProcessesIsBuiltFromItsSourceForGood) {
  const SessionOptions options = {.program_cache = folder_.path()};
  const auto sum = [&] {
    OpenClSession session(options);
    return sum_of(session, 3);
  };
  sum();
  ASSERT_EQ(cached().size(), 1U);
  const auto with_binary = fs::file_size(cached().front());
  const auto die_while_loading = [&] {
    std::ofstream(cached().front().string() + ".loading") << "loading";
  };
  die_while_loading();
  EXPECT_EQ(sum(), 21U);
  ASSERT_EQ(cached().size(), 1U);
  EXPECT_EQ(fs::file_size(cached().front()), with_binary) << "written anew";
  die_while_loading();
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(sum(), 21U);
    ASSERT_EQ(cached().size(), 1U);
    EXPECT_LT(fs::file_size(cached().front()), with_binary);
  }
}

TEST_F(SessionTest, BuildingKernelsIsAnnouncedOnceForADevice) {
  std::vector<std::string> lines;
  const SessionOptions options = {
      .program_cache = folder_.path(),
      .inform = [&](const std::string& line) { lines.push_back(line); }};
  OpenClSession first(options);
  EXPECT_THAT(lines, IsEmpty());
  first.kernel({"session/int64_atomics.cl"}, "add_to_sum");
  first.kernel({"session/instruction_set.cl"}, "instruction_set");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0],
              HasSubstr("building kernels for " + first.device().name + ", which are kept"));

  OpenClSession second(options);
  EXPECT_EQ(sum_of(second, 3), 21U);
  EXPECT_EQ(lines.size(), 1U);
}

TEST_F(SessionTest, WhoeverWaitsLeavesBinariesOfPoclToLongerRuns) {
  const auto cached_bytes = [&](bool answer_soon) {
    OpenClSession session({.program_cache = folder_.path(), .answer_soon = answer_soon});
    EXPECT_EQ(sum_of(session, 3), 21U);
    return fs::file_size(cached().front());
  };
  if (!OpenClSession().device().is_pocl()) GTEST_SKIP() << "binaries cost nothing";
  const auto without = cached_bytes(true);
  EXPECT_EQ(cached_bytes(true), without);
  const auto with = cached_bytes(false);
  EXPECT_GT(with, without + 1000);
  EXPECT_EQ(cached_bytes(true), with);
}

TEST_F(SessionTest, ALazyKernelIsBuiltWhenItIsUsed) {
  OpenClSession session({.program_cache = folder_.path()});
  LazyKernel kernel(session, {"session/int64_atomics.cl"}, "add_to_sum");
  EXPECT_THAT(cached(), IsEmpty());
  const cl_kernel built = kernel.get()();
  EXPECT_EQ(cached().size(), 1U);
  EXPECT_EQ(kernel.get()(), built);
}

TEST_F(SessionTest, CacheThatCannotBeWrittenIsNoError) {
  OpenClSession session({.program_cache = "/dev/null/nowhere"});
  EXPECT_NO_THROW(session.kernel({"session/int64_atomics.cl"}, "add_to_sum"));
}

TEST(ForEachBatch, HalvesUntilItFits) {
  std::vector<std::size_t> counts;
  for_each_batch(10, 8, [&](std::size_t, std::size_t count) {
    if (count > 3) throw DeviceOutOfMemory("full");
    counts.push_back(count);
  });
  EXPECT_THAT(counts, ElementsAre(2, 2, 2, 2, 2));
}

TEST(ForEachBatch, OneItemThatDoesNotFitIsAnError) {
  EXPECT_THROW(for_each_batch(4, 4, [](std::size_t, std::size_t) { throw DeviceOutOfMemory("x"); }),
               DeviceOutOfMemory);
}

}  // namespace
}  // namespace lookalike
