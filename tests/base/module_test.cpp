#include "base/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string failure_of(const char* file_name) {
  try {
    load_module(file_name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    return error.what();
  }
  return "loaded";
}

TEST(Module, OfAnotherVersionIsNotUsed) {
  EXPECT_THAT(failure_of("libc.so.6"),
              AllOf(HasSubstr("another version"), HasSubstr("kLookalikeModule_")));
}

TEST(Module, ThatIsMissingIsNamed) {
  EXPECT_THAT(failure_of("no_such_module.so"),
              HasSubstr("module no_such_module.so cannot be loaded"));
}

TEST(Module, AProgramThatIsMissingIsNotLookedUpInTheCurrentFolder) {
  EXPECT_TRUE(module_file("no-such-program").is_absolute());
}

}  // namespace
}  // namespace lookalike
