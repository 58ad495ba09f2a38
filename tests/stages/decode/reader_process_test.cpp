#include "stages/decode/reader_process.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
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

// Sends a signal to the processes that this one has started.
void signal_children(int signal) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::ifstream status(entry.path() / "status");
    for (std::string word; status >> word;) {
      pid_t parent = 0;
      if (word != "PPid:" || !(status >> parent)) continue;
      if (parent == ::getpid()) ::kill(std::stoi(name), signal);
      break;
    }
  }
}

class ReaderProcessTest : public testing::Test {
 protected:
  cv::Mat read(const Bytes& file, std::uint64_t width, std::uint64_t height) {
    problem_.clear();
    return reader_.read(file, {.width = width, .height = height}, PixelMode::kGray, problem_);
  }

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

TEST_F(ReaderProcessTest, IsReplacedWhenItEnds) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty());
  signal_children(SIGSEGV);
  EXPECT_TRUE(read(bmp_, 120, 80).empty());
  EXPECT_THAT(problem_, testing::HasSubstr("signal 11"));
  EXPECT_FALSE(read(bmp_, 120, 80).empty());
}

TEST_F(ReaderProcessTest, ThatDoesNotAnswerIsStopped) {
  ASSERT_FALSE(read(bmp_, 120, 80).empty());
  signal_children(SIGSTOP);
  EXPECT_TRUE(read(bmp_, 120, 80).empty());
  EXPECT_THAT(problem_, testing::HasSubstr("takes longer"));
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
