#include "base/progress.h"

#include <cstdint>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/terminal.h"

namespace lookalike {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr auto kOneDrawing = std::chrono::milliseconds(120);

// A terminal of some columns, whose screen can be read.
class Terminal {
 public:
  explicit Terminal(std::uint16_t columns) : screen_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (screen_ < 0 || ::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0) {
      throw std::runtime_error("Terminal: no pseudo-terminal");
    }
    const int line = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
    termios raw{};
    ::tcgetattr(line, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(line, TCSANOW, &raw);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(line, TIOCSWINSZ, &size);
    ::fcntl(screen_, F_SETFL, O_NONBLOCK);
    out_ = ::fdopen(line, "w");
  }
  ~Terminal() {
    std::fclose(out_);
    ::close(screen_);
  }
  std::FILE* out() { return out_; }
  std::string written() {
    std::fflush(out_);
    std::string text(65536, '\0');
    const ssize_t bytes = ::read(screen_, text.data(), text.size());
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
  }

 private:
  int screen_;
  std::FILE* out_ = nullptr;
};

// The last line that a bar has drawn.
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
    progress.update(7);
    EXPECT_THAT(terminal.written(), HasSubstr(" left"));
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
