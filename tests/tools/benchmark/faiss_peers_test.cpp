#include "tools/benchmark/faiss_peers.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const Workload kAssign = {.kernel = "assign",
                          .sizes = {{"words", 7}, {"dimensions", 64}},
                          .more_sizes = {{"descriptors", 500}}};

class FaissPeersTest : public testing::Test {
 protected:
  // A program in the place of FAISS's.
  std::filesystem::path program(const std::string& line) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / "peer";
    std::ofstream(path) << "#!/bin/sh\n" << line << '\n';
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(FaissPeersTest, TheProgramGetsTheSizesAndSaysTheTime) {
  const auto peers = faiss_peers(kAssign, program("[ \"$1 $2 $3\" = '7 500 64' ] && echo 12.5"));
  ASSERT_THAT(peers, SizeIs(1));
  EXPECT_EQ(peers[0].note, "");
  EXPECT_EQ(peers[0].measure(10), 12.5);
}

TEST_F(FaissPeersTest, WithoutTheProgramItIsNotInstalled) {
  const auto peers = faiss_peers(kAssign, "/no/program");
  ASSERT_THAT(peers, SizeIs(1));
  EXPECT_EQ(peers[0].note, "not installed");
}

TEST_F(FaissPeersTest, AnAnswerThatIsNoNumberIsAnError) {
  for (const char* const script : {"echo soon", "echo 1 2", "exit 3"}) {
    try {
      faiss_peers(kAssign, program(script))[0].measure(10);
      ADD_FAILURE() << script << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput) << script;
    }
  }
}

TEST_F(FaissPeersTest, OtherKernelsHaveNone) {
  EXPECT_THAT(faiss_peers({.kernel = "surf"}, program("echo 1")), IsEmpty());
}

}  // namespace
}  // namespace lookalike
