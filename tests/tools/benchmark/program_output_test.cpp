#include "tools/benchmark/program_output.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

std::string failure_of(const std::vector<std::string>& command) {
  try {
    program_output(command);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "none";
}

TEST(ProgramOutput, IsWhatTheProgramPrints) {
  EXPECT_EQ(program_output({"/bin/echo", "a  b", "$HOME"}), "a  b $HOME\n");
  EXPECT_EQ(program_output({"/bin/true"}), "");
}

TEST(ProgramOutput, MayBeLongerThanAPipeHolds) {
  EXPECT_EQ(program_output({"/usr/bin/head", "-c", "1000000", "/dev/zero"}).size(), 1'000'000U);
}

TEST(ProgramOutput, AProgramThatFailsIsAnError) {
  EXPECT_EQ(failure_of({"/bin/false"}), "/bin/false: ended with 1");
  EXPECT_EQ(failure_of({"/bin/sh", "-c", "kill -9 $$"}), "/bin/sh: ended with 137");
}

TEST(ProgramOutput, AProgramThatIsNotThereIsAnError) {
  EXPECT_EQ(failure_of({"/no/program"}),
            "/no/program: cannot be started, No such file or directory");
}

}  // namespace
}  // namespace lookalike
