#include "pipeline/index/run_roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

const std::vector<IndexRoot> kKnown = {{.path = "/a"}, {.path = "/a/b"}, {.path = "/c"}};

TEST(RootsToScan, AreTheNamedOnesWithTheKnownOnesBelowThem) {
  EXPECT_THAT(roots_to_scan(kKnown, std::vector<std::string>{"/new/", "/a"}),
              ElementsAre("/a", "/a/b", "/new"));
}

TEST(RootsToScan, AreAllKnownOnesIfNoneIsNamed) {
  EXPECT_THAT(roots_to_scan(kKnown, {}), ElementsAre("/a", "/a/b", "/c"));
}

TEST(RunRoots, TakeOverTheScan) {
  const std::vector<ScannedFolder> scanned = {
      {.path = "/a/b", .problem = "unreadable", .devices = {}},
      {.path = "/c", .problem = {}, .devices = {}},
      {.path = "/new", .problem = {}, .devices = {}}};
  const RunRoots roots(kKnown, scanned);
  EXPECT_EQ(roots.root_of("/a/b/photo.jpg")->problem, "unreadable");
  EXPECT_FALSE(roots.is_scanned("/a/b/photo.jpg"));
  EXPECT_FALSE(roots.is_scanned("/a/photo.jpg"));
  EXPECT_TRUE(roots.is_scanned("/c/photo.jpg"));
  EXPECT_TRUE(roots.is_scanned("/new/photo.jpg"));
  EXPECT_TRUE(roots.all().at("/new").is_new);
  EXPECT_FALSE(roots.all().at("/c").is_new);
  EXPECT_EQ(roots.root_of("/elsewhere/photo.jpg"), nullptr);
}

TEST(RunRoots, RefuseANewFolderWithAProblem) {
  const std::vector<ScannedFolder> scanned = {
      {.path = "/new", .problem = "no such folder", .devices = {}}};
  try {
    const RunRoots roots(kKnown, scanned);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_STREQ(error.what(), "/new: no such folder");
  }
}

}  // namespace
}  // namespace lookalike
