#include "stages/decode/reader_process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/work_limits.h"
#include "stages/decode/encode.h"
#include "stages/decode/sandbox.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Returns the exit code of work() in a process of its own.
template <typename Work>
int code_of(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Sandbox, LeavesNothingButToCompute) {
  const int code = code_of([] {
    if (!confine_process()) return 99;
    const bool opened = ::open("/etc/passwd", O_RDONLY) >= 0;
    const bool connected = ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
    const bool forked = ::fork() >= 0;
    const bool signalled = ::kill(::getppid(), 0) == 0;
    void* const memory = std::malloc(std::size_t{1} << 24U);
    return (opened ? 1 : 0) + (connected ? 2 : 0) + (forked ? 4 : 0) + (signalled ? 8 : 0) +
           (memory == nullptr ? 16 : 0);
  });
  if (code == 99) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(code, 0);
}

// Returns the processes that this one has started.
std::set<pid_t> children() {
  std::set<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "status");
    for (std::string word; status >> word;) {
      pid_t parent = 0;
      if (word != "PPid:" || !(status >> parent)) continue;
      if (parent == ::getpid()) found.insert(std::stoi(entry.path().filename().native()));
      break;
    }
  }
  return found;
}

class ReaderProcessTest : public testing::Test {
 protected:
  cv::Mat read(const Bytes& file, std::uint64_t width, std::uint64_t height) {
    problem_.clear();
    return reader_.read(file, {.width = width, .height = height}, PixelMode::kGray, 1, problem_);
  }

  // Signals the reader alone, not those that other tests have left.
  void signal_reader(int signal) const {
    for (const pid_t child : children()) {
      if (!before_.contains(child)) ::kill(child, signal);
    }
  }

  const std::set<pid_t> before_ = children();
  const cv::Mat picture_ = draw_picture(120, 80, 1);
  const Bytes bmp_ = encode(".bmp", picture_);
  ReaderProcess reader_{"opencv_reader.so"};
  std::string problem_;
};

TEST_F(ReaderProcessTest, GivesThePixels) {
  EXPECT_EQ(cv::norm(read(bmp_, 120, 80), picture_, cv::NORM_INF), 0) << problem_;
}

TEST_F(ReaderProcessTest, APictureLargerThanItsHeaderIsNotTaken) {
  EXPECT_TRUE(read(bmp_, 60, 80).empty());
  EXPECT_EQ(problem_, kOtherSize);
}

TEST_F(ReaderProcessTest, SaysWhatIsWrongWithAFileAndReadsTheNext) {
  EXPECT_TRUE(read(Bytes(bmp_.begin(), bmp_.begin() + 60), 120, 80).empty());
  EXPECT_NE(problem_, "");
  EXPECT_FALSE(read(bmp_, 120, 80).empty());
}

TEST_F(ReaderProcessTest, ThatDoesNotAnswerIsStoppedAndReplaced) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
  signal_reader(SIGSTOP);
  EXPECT_TRUE(read(bmp_, 120, 80).empty());
  EXPECT_THAT(problem_, testing::HasSubstr("takes longer"));
  EXPECT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
}

// While the reader is stopped, the signal that ends it waits until it has the file.
TEST_F(ReaderProcessTest, ThatDiesOverAFileIsReplaced) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
  signal_reader(SIGSTOP);
  const std::jthread killer([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    signal_reader(SIGABRT);
    signal_reader(SIGCONT);
  });
  EXPECT_TRUE(read(bmp_, 120, 80).empty());
  EXPECT_THAT(problem_, testing::HasSubstr("signal 6"));
  EXPECT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
}

TEST_F(ReaderProcessTest, ThatDiesBetweenFilesCostsNone) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
  signal_reader(SIGKILL);
  for (const pid_t child : children()) {
    siginfo_t ended{};
    if (!before_.contains(child))
      ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  }
  EXPECT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
}

TEST_F(ReaderProcessTest, IsReplacedBeforeLeaksAddUp) {
  std::set<pid_t> readers;
  for (int i = 0; i <= ReaderProcess::kMostAnswers; ++i) {
    ASSERT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
    if (i % (ReaderProcess::kMostAnswers / 2) != 0) continue;
    for (const pid_t child : children()) {
      if (!before_.contains(child)) readers.insert(child);
    }
  }
  EXPECT_EQ(readers.size(), 2U);
}

TEST_F(ReaderProcessTest, IsStoppedWhenTheTimeOfTheWorkIsOver) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
  signal_reader(SIGSTOP);
  {
    const WorkLimits limits(WorkLimits::Clock::now() + std::chrono::milliseconds(50));
    const LimitedWork limited(&limits);
    EXPECT_THROW(read(bmp_, 120, 80), Overdue);
  }
  EXPECT_FALSE(read(bmp_, 120, 80).empty()) << problem_;
}

TEST(ReaderProcess, NeedsItsModule) {
  ReaderProcess reader("no_reader.so");
  std::string problem;
  try {
    reader.read_header(Bytes(10), problem);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_THAT(error.what(), testing::HasSubstr("no_reader.so"));
  }
}

}  // namespace
}  // namespace lookalike
