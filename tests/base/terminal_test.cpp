#include "base/terminal.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

class UseColour : public testing::Test {
 protected:
  UseColour() : file_(std::tmpfile()) { forget(); }
  ~UseColour() override {
    std::fclose(file_);
    forget();
  }
  static void forget() {
    ::unsetenv("NO_COLOR");
    ::unsetenv("CLICOLOR_FORCE");
  }
  std::FILE* file_;
};

TEST_F(UseColour, AFileHasNeitherColourNorColumns) {
  EXPECT_FALSE(use_colour(file_));
  EXPECT_EQ(terminal_columns(file_), 0U);
}

TEST_F(UseColour, CanBeForced) {
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(use_colour(file_));
  ::setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_FALSE(use_colour(file_));
}

TEST_F(UseColour, NoColorWinsUnlessItIsEmpty) {
  ::setenv("CLICOLOR_FORCE", "1", 1);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(use_colour(file_));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(use_colour(file_));
}

}  // namespace
}  // namespace lookalike
