#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/index_writer.h"
#include "tests/storage/encoded.h"
#include "tests/temporary_folder.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

// An index of files that need not exist.
class RemoveCommand : public testing::Test {
 protected:
  RemoveCommand() {
    IndexWriter writer(database_);
    Codebook codebook{.descriptor_size = 1, .words = {0}, .projection = {}, .thresholds = {}};
    codebook.projection.resize(64, 0.125F);
    codebook.thresholds.resize(64);
    writer.set_codebook(codebook, {});
    std::vector<ImageToStore> images;
    for (const std::string path : {"/p/trip-2/a.jpg", "/p/trip.jpg", "/p/trip/a.jpg",
                                   "/p/trip/b/c.jpg", "/p/tripod/a.jpg"}) {
      ImageToStore& image = images.emplace_back();
      image.words.image = {{path, 5, 6}, {static_cast<std::uint8_t>(images.size())}, 640, 480};
      image.blank = true;
    }
    writer.publish(encoded(images));
    writer.put_in_quarantine(std::vector<SkippedFile>{{{"/p/trip/bad.jpg"}, "empty", ""},
                                                      {{"/p/tripod/bad.jpg"}, "empty", ""}});
  }

  int remove(const std::string& path) const {
    const std::vector<const char*> words = {"lookalike",  "remove",          "--quiet",
                                            "--database", database_.c_str(), path.c_str()};
    return run_lookalike(static_cast<int>(words.size()), words.data());
  }
  std::vector<std::string> files() const {
    std::vector<std::string> paths;
    IndexReader(database_).for_each_file(
        [&](const std::string& path, std::int64_t) { paths.push_back(path); });
    std::ranges::sort(paths);
    return paths;
  }
  std::vector<std::string> quarantined() const {
    std::vector<std::string> paths;
    for (const SkippedFile& file : IndexReader(database_).quarantine()) {
      paths.push_back(file.file.path);
    }
    return paths;
  }

  TemporaryFolder folder_;
  const std::filesystem::path database_ = folder_.path() / "index.db";
};

TEST_F(RemoveCommand, AFolderGoesWithWhatLiesInItAndNamesThatBeginAlikeStay) {
  EXPECT_EQ(remove("/p/trip"), 0);
  EXPECT_THAT(files(), ElementsAre("/p/trip-2/a.jpg", "/p/trip.jpg", "/p/tripod/a.jpg"));
  EXPECT_THAT(quarantined(), ElementsAre("/p/tripod/bad.jpg"));
}

TEST_F(RemoveCommand, AFileGoesAlone) {
  EXPECT_EQ(remove("/p/trip.jpg"), 0);
  EXPECT_THAT(files(), ElementsAre("/p/trip-2/a.jpg", "/p/trip/a.jpg", "/p/trip/b/c.jpg",
                                   "/p/tripod/a.jpg"));
}

TEST_F(RemoveCommand, WhatTheIndexDoesNotKnowIsSkipped) {
  EXPECT_EQ(remove("/p/tri"), 1);
  EXPECT_EQ(files().size(), 5U);
}

TEST_F(RemoveCommand, TheRootOfTheFileSystemHoldsEverything) {
  EXPECT_EQ(remove("/"), 0);
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(quarantined().empty());
}

}  // namespace
}  // namespace lookalike
