#include "tools/report/timeline.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t bars(const std::string& html) {
  std::size_t count = 0;
  for (std::size_t at = html.find("<rect"); at != std::string::npos;
       at = html.find("<rect", at + 1)) {
    ++count;
  }
  return count;
}

TEST(Timeline, EachThreadHasItsLineAndEachStageItsName) {
  const std::vector<StageSpan> spans = {{"decode", 0, 0, 0.5}, {"store", 1, 0.5, 2}};
  const std::string html = timeline(spans);
  EXPECT_THAT(html, HasSubstr("thread 1"));
  EXPECT_THAT(html, HasSubstr("thread 2"));
  EXPECT_THAT(html, Not(HasSubstr("thread 3")));
  EXPECT_THAT(html, HasSubstr("<title>decode 0.000 to 0.500 s</title>"));
  EXPECT_THAT(html, HasSubstr("<title>store 0.500 to 2.000 s</title>"));
  EXPECT_THAT(html, HasSubstr("2 s</text>"));
}

TEST(Timeline, GapsThatNobodySeesAreClosed) {
  std::vector<StageSpan> spans;
  for (int i = 0; i < 1000; ++i) spans.push_back({"decode", 0, 0.01 * i, 0.01 * i + 0.0099});
  EXPECT_EQ(bars(timeline(spans)), 1U);
  spans.push_back({"decode", 0, 12, 13});
  EXPECT_EQ(bars(timeline(spans)), 2U);
}

TEST(Timeline, AStageWithinAnotherIsDrawnAfterIt) {
  const std::string html =
      timeline(std::vector<StageSpan>{{"variance", 0, 0.2, 0.4}, {"extract", 0, 0, 1}});
  EXPECT_LT(html.find("<title>extract"), html.find("<title>variance"));
}

TEST(Timeline, NothingTimedIsSaid) {
  EXPECT_THAT(timeline({}), HasSubstr("Nothing was timed"));
}

}  // namespace
}  // namespace lookalike
