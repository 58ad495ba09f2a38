#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/index_writer.h"
#include "tests/storage/encoded.h"
#include "tests/temporary_folder.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An index as a move of /p/old to /p/new leaves it that was killed after its first transaction.
class MoveCommand : public testing::Test {
 protected:
  MoveCommand() {
    IndexWriter writer(database_);
    Codebook codebook{.descriptor_size = 1, .words = {0}, .projection = {}, .thresholds = {}};
    codebook.projection.resize(64, 0.125F);
    codebook.thresholds.resize(64);
    writer.set_codebook(codebook, {});
    ImageToStore image;
    image.words.image = {{"/p/new/a.jpg", 5, 6}, {1}, 640, 480};
    image.blank = true;
    writer.publish(encoded({&image, 1}));
    writer.put_roots(std::vector<IndexRoot>{{.path = "/p/old"}});
    writer.put_in_quarantine(std::vector<SkippedFile>{{{"/p/old/bad.jpg"}, "empty", ""}});
  }

  int move(const std::string& from, const std::string& to) const {
    const std::vector<const char*> words = {
        "lookalike", "move", "--quiet", "--database", database_.c_str(), from.c_str(), to.c_str()};
    return run_lookalike(static_cast<int>(words.size()), words.data());
  }
  std::vector<std::string> roots() const {
    std::vector<std::string> paths;
    for (const IndexRoot& root : IndexReader(database_).roots()) paths.push_back(root.path);
    return paths;
  }

  TemporaryFolder folder_;
  const std::filesystem::path database_ = folder_.path() / "index.db";
};

TEST_F(MoveCommand, ARepeatedOneCompletesWhatAKillLeft) {
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(move("/p/old", "/p/new"), 0);
    EXPECT_THAT(roots(), ElementsAre("/p/new"));
    EXPECT_THAT(IndexReader(database_).quarantine(), IsEmpty());
    EXPECT_TRUE(IndexReader(database_).find("/p/new/a.jpg"));
  }
}

TEST_F(MoveCommand, WhatTheIndexHasInNeitherPlaceIsAnInputError) {
  try {
    move("/p/old", "/p/other");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
  EXPECT_THAT(roots(), ElementsAre("/p/old"));
}

TEST_F(MoveCommand, OneIntoItselfIsNotTakenForARepeatedOne) {
  EXPECT_EQ(move("/p", "/p/new"), 1);
  EXPECT_THAT(roots(), ElementsAre("/p/old"));
}

}  // namespace
}  // namespace lookalike
