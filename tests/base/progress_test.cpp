#include "base/progress.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/terminal.h"
#include "tests/pseudo_terminal.h"

namespace lookalike {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr auto kOneDrawing = std::chrono::milliseconds(120);

// Returns the last line drawn by a bar.
std::string last_line(const std::string& written) {
  const std::string clear = "\r\033[K";
  return written.substr(written.rfind(clear) + clear.size());
}

TEST(Progress, ABarFitsTheTerminalAndEndsItsLine) {
  const std::string detail = "16384 words, objective 0.1234";
  for (const std::uint16_t columns : std::vector<std::uint16_t>{120, 80, 60, 40, 20}) {
    Terminal terminal(columns);
    EXPECT_EQ(terminal_columns(terminal.out()), columns);
    {
      Progress progress("codebook", "iterations", 10, Progress::Style::kBar, {}, terminal.out());
      std::this_thread::sleep_for(kOneDrawing);
      progress.update(7, detail);
      EXPECT_LT(last_line(terminal.written()).size(), columns);
    }
    const std::string last = last_line(terminal.written());
    EXPECT_LE(last.size(), columns);  // with the line break
    EXPECT_THAT(last, StartsWith("codebook: "));
    EXPECT_THAT(last, EndsWith("\n"));
    EXPECT_EQ(last.find("[#") != std::string::npos, columns >= 60) << last;
    EXPECT_EQ(last.find(detail) != std::string::npos, columns >= 120) << last;
  }
}

TEST(Progress, AStepThatEndsEarlyIsDone) {
  Terminal terminal(80);
  {
    Progress progress("codebook", "iterations", 10, Progress::Style::kBar, {}, terminal.out());
    std::this_thread::sleep_for(kOneDrawing);
    progress.update(3);
    EXPECT_THAT(terminal.written(), Not(HasSubstr(" left"))) << "the first may have waited";
    std::this_thread::sleep_for(kOneDrawing);
    progress.update(7);
    EXPECT_THAT(terminal.written(), HasSubstr(", 0 s left"));
    progress.finish();
  }
  const std::string last = last_line(terminal.written());
  EXPECT_THAT(last, HasSubstr("7/7 iterations"));
  EXPECT_THAT(last, Not(HasSubstr(" left")));
  EXPECT_THAT(last, Not(HasSubstr(".]")));
}

TEST(Progress, WhatIsInterruptedSaysHowLongItTook) {
  Terminal terminal(80);
  {
    Progress progress("index", "images", 10, Progress::Style::kBar, {}, terminal.out());
    progress.update(3);
  }
  EXPECT_THAT(last_line(terminal.written()),
              testing::AllOf(HasSubstr("3/10 images"), HasSubstr(", 0 s"), Not(HasSubstr("left"))));
}

TEST(Progress, ABarMovesWithoutUpdates) {
  Terminal terminal(80);
  const Progress progress("compact", "", 0, Progress::Style::kBar, {}, terminal.out());
  std::this_thread::sleep_for(std::chrono::milliseconds(2300));
  const std::string written = terminal.written();
  EXPECT_THAT(written, HasSubstr("compact: 1 s"));
  EXPECT_THAT(written, HasSubstr("compact: 2 s"));
}

TEST(Progress, ABarGivesWayToOtherLines) {
  Terminal terminal(80);
  Progress progress("query", "photos", 10, Progress::Style::kBar, {}, terminal.out());
  progress.clear();
  EXPECT_THAT(terminal.written(), IsEmpty());
  std::this_thread::sleep_for(kOneDrawing);
  progress.update(1);
  progress.clear();
  EXPECT_THAT(last_line(terminal.written()), IsEmpty());
}

TEST(Progress, AShortStepShowsNothingWithADelay) {
  Terminal terminal(80);
  {
    Progress progress("query", "photos", 2, Progress::Style::kBar, std::chrono::seconds(60),
                      terminal.out());
    std::this_thread::sleep_for(kOneDrawing);
    progress.update(2);
  }
  EXPECT_THAT(terminal.written(), IsEmpty());
}

}  // namespace
}  // namespace lookalike
