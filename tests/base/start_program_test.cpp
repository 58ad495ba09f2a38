#include "base/start_program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace lookalike {
namespace {

// Runs a program whose output is returned.
std::string output_of(const std::vector<std::string>& words,
                      const std::vector<std::string>& settings = {}) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor from(ends[0]);
  std::optional<pid_t> process;
  {
    const FileDescriptor to(ends[1]);
    process = start_program(words, std::array{kNowhere, to.number(), kNowhere}, settings);
  }
  if (!process) return "not started";
  std::string output;
  std::array<char, 256> part{};
  for (ssize_t n = 0; (n = ::read(from.number(), part.data(), part.size())) > 0;) {
    output.append(part.data(), static_cast<std::size_t>(n));
  }
  ::waitpid(*process, nullptr, 0);
  return output;
}

TEST(StartProgram, GivesTheDescriptorsAndNoOthers) {
  const FileDescriptor other(::open("/dev/null", O_RDONLY));  // not closed by exec
  EXPECT_EQ(output_of({"sh", "-c", "cat; ls /proc/$$/fd | tr '\n' ' '"}), "0 1 2 ");
}

TEST(StartProgram, ReplacesVariablesAndKeepsTheOthers) {
  ::setenv("LOOKALIKE_TEST_A", "1", 1);
  ::setenv("LOOKALIKE_TEST_AB", "2", 1);
  EXPECT_EQ(output_of({"sh", "-c", "echo $LOOKALIKE_TEST_A $LOOKALIKE_TEST_AB $NEW"},
                      {"LOOKALIKE_TEST_A=x y", "NEW=3"}),
            "x y 2 3\n");
  ::unsetenv("LOOKALIKE_TEST_A");
  ::unsetenv("LOOKALIKE_TEST_AB");
}

TEST(StartProgram, BlocksNoSignalAndLeadsAGroup) {
  sigset_t all;
  ::sigfillset(&all);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const std::string blocked = output_of({"sh", "-c", "grep SigBlk /proc/$$/status"});
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(blocked, "SigBlk:\t0000000000000000\n");
  EXPECT_EQ(output_of({"sh", "-c", "test $$ = $(cut -d' ' -f5 /proc/$$/stat) && echo leads"}),
            "leads\n");
}

TEST(StartProgram, ReturnsNothingForAMissingProgram) {
  EXPECT_FALSE(start_program({"/nowhere/program"}, {}));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace lookalike
