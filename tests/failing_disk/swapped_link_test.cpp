// Somebody who can write beside the index puts a link in the place of a file in the moment before
// it is opened: what the link names is neither read nor written.

#include <gmock/gmock.h>

#include "tests/content_of.h"
#include "tests/failing_disk/failing_disk.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;

class SwappedLink : public FailingDisk {
 protected:
  SwappedLink() {
    fs::copy_file(database(), target());
    bytes_ = bytes();
  }

  // An index, which could be read and written as well as ours.
  fs::path target() const { return folder_.path() / "target.db"; }
  std::string bytes() const { return content_of(target()); }
  std::vector<std::string> swapped(int at) const {
    std::vector<std::string> environment = failing("open", at, "swapped", data());
    environment.push_back("FAIL_TARGET=" + target().string());
    return environment;
  }
  void expect_untouched() const {
    EXPECT_TRUE(bytes() == bytes_);  // too long to print
    for (const char* beside : {"-wal", "-shm", "-journal"}) {
      EXPECT_FALSE(fs::exists(target().string() + beside));
    }
  }

  std::string bytes_;
};

TEST_F(SwappedLink, IsNotWrittenThrough) {
  for (const bool from_nothing : {false, true}) {
    int swaps = 0;
    for (int at = 1;; at += 1 + at / 5) {
      SCOPED_TRACE(at);
      start_over(from_nothing);
      const int code = index(swapped(at));
      if (!has_failed()) break;
      ++swaps;
      EXPECT_THAT(code, AnyOf(0, 1, 3, 5, 7)) << last_.err;
      expect_untouched();
    }
    EXPECT_GE(swaps, 5);  // lock, database, log, shared memory, database to read
  }
}

TEST_F(SwappedLink, IsNotRead) {
  start_over(false);
  const std::string behind = content();
  ASSERT_NE(behind, content_);
  int swaps = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    start_over(false);
    const int code = run("lookalike", {"show", "--json", "--database", database()}, swapped(at));
    if (!has_failed()) break;
    ++swaps;
    EXPECT_THAT(last_.out, testing::Not(testing::HasSubstr(content_)));
    EXPECT_THAT(code, AnyOf(0, 1, 3, 5, 7)) << last_.err;
    expect_untouched();
  }
  EXPECT_GE(swaps, 1);
}

TEST_F(SwappedLink, IsNotReadAsAnArtefact) {
  const std::string features = data() / "a.features";
  ASSERT_EQ(run("lookalike-extract", {"--images", photos(), "--output", features}), 0) << last_.err;
  fs::copy_file(features, target(), fs::copy_options::overwrite_existing);
  const std::vector<std::string> arguments = {"--features", features, "--output",
                                              data() / "a.codebook"};
  ASSERT_EQ(run("lookalike-codebook", arguments), 0) << last_.err;
  fs::remove(data() / "a.codebook");
  EXPECT_EQ(run("lookalike-codebook", arguments, swapped(1)), 3) << last_.err;
  EXPECT_TRUE(has_failed());
  EXPECT_FALSE(fs::exists(data() / "a.codebook"));
}

}  // namespace
}  // namespace lookalike
