#include "base/path_set.h"

#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

TEST(NormalPath, IsAbsoluteWithoutDotsOrASlashAtTheEnd) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(normal_path("a/../b//c/"), here + "/b/c");
  EXPECT_EQ(normal_path("/a/./b/"), "/a/b");
  EXPECT_EQ(normal_path("/"), "/");
  EXPECT_THROW(normal_path(""), Error);
}

TEST(IsWithin, AFolderHoldsItselfAndWhatIsBelowIt) {
  EXPECT_TRUE(is_within("/a/b", "/a"));
  EXPECT_TRUE(is_within("/a", "/a"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("/ab", "/a"));
  EXPECT_FALSE(is_within("/", "/a"));
}

TEST(PathSet, FindsTheInnermostPath) {
  const std::vector<std::string> paths = {"/a", "/a/b/c"};
  const PathSet set(paths);
  EXPECT_EQ(*set.innermost("/a/x/y.jpg"), "/a");
  EXPECT_EQ(*set.innermost("/a/b/y.jpg"), "/a");
  EXPECT_EQ(*set.innermost("/a/b/c/y.jpg"), "/a/b/c");
  EXPECT_EQ(*set.innermost("/a/b/c"), "/a/b/c");
  EXPECT_EQ(set.innermost("/ab"), nullptr);
  EXPECT_EQ(set.innermost("a/b"), nullptr);
}

TEST(PathSet, TheRootFolderHoldsEverything) {
  PathSet set;
  EXPECT_EQ(set.innermost("/x"), nullptr);
  set.insert("/");
  EXPECT_EQ(*set.innermost("/x/y"), "/");
}

}  // namespace
}  // namespace lookalike
