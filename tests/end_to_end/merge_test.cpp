// Indexes built separately with the same codebook and merged equal one that was built in one go.

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "storage/index_writer.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class Merge : public testing::Test {
 protected:
  // whole.db has two folders; left.db and right.db have one each. Both folders have copies and a
  // quarantined file.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const auto write = [](const std::string& name, const std::vector<std::uint8_t>& bytes) {
      folder_->write(name, text(bytes));
    };
    for (unsigned i = 0; i < 8; ++i) {
      write(fmt::format("{}/{}.png", i % 2 == 0 ? "left" : "right", i),
            encode(".png", draw_picture(200, 150, i)));
    }
    write("right/copy.png", encode(".png", draw_picture(200, 150, 0)));
    write("left/blank.png", encode(".png", cv::Mat(90, 90, CV_8U, cv::Scalar(3))));
    write("right/pages.tif",
          encode_pages({draw_picture(200, 150, 31), draw_picture(200, 150, 32)}));
    folder_->write("left/bad.jpg", "no image");
    folder_->write("right/bad.jpg", "no image");
    EXPECT_EQ(run({"index", at("left"), at("right"), "-d", at("whole.db")}).exit_code, 1);
    for (const auto& [kept, other] : {std::pair("left", "right"), std::pair("right", "left")}) {
      const std::string part = at(std::string(kept) + ".db");
      fs::copy(at("whole.db"), part);
      EXPECT_EQ(run({"remove", at(other), "-d", part}).exit_code, 0);
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  Merge() {
    for (const char* name : {"left.db", "right.db"}) {
      fs::copy(at(name), at(std::string("my-") + name));
    }
  }
  ~Merge() override {
    for (const auto& entry : fs::directory_iterator(folder_->path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("my-") || name.starts_with("all.db")) fs::remove_all(entry.path());
    }
  }

  static std::string at(const std::string& name) { return (folder_->path() / name).native(); }
  static ProgramResult run(const Words& words) { return run_program("lookalike", words); }
  static ProgramResult merge(const Words& sources, const std::string& target = "all.db") {
    Words words = {"merge", "-d", at(target)};
    for (const std::string& source : sources) words.push_back(at(source));
    return run(words);
  }
  static nlohmann::json show(const std::string& index) {
    return nlohmann::json::parse(run({"show", "-d", at(index), "--json", "--content-hash"}).out);
  }
  static std::string printed(const std::string& command, const std::string& index) {
    return run({command, "-d", at(index), "--format", "tsv"}).out;
  }
  // Returns the list of an index's files, without the numbers of the images.
  static std::string files(const std::string& index) {
    return std::regex_replace(printed("list", index), std::regex("(^|\n)[0-9]*\t"), "\n");
  }
  static void expect_whole(const std::string& index) {
    EXPECT_EQ(show(index)["content_hash"], show("whole.db")["content_hash"]);
    EXPECT_EQ(files(index), files("whole.db"));
    EXPECT_EQ(printed("quarantine", index), printed("quarantine", "whole.db"));
    EXPECT_EQ(printed("folders", index), printed("folders", "whole.db"));
    EXPECT_EQ(run({"check", "-d", at(index)}).exit_code, 0);
  }
  // Expects a refusal with the code that leaves the target unchanged.
  static std::string expect_refused(const Words& sources, int code,
                                    const std::string& target = "all.db") {
    const auto content = [&] {
      return fs::exists(at(target)) ? show(target)["content_hash"] : nlohmann::json();
    };
    const nlohmann::json before = content();
    const ProgramResult result = merge(sources, target);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(content(), before);
    return result.err;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Merge::folder_;

TEST_F(Merge, OfPartsGivesTheIndexThatOneRunBuilds) {
  const ProgramResult merged = merge({"left.db", "right.db"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.err, AllOf(HasSubstr("left.db: 5 images, 5 of them new"),
                                HasSubstr("right.db: 7 images, 6 of them new")));
  expect_whole("all.db");
  const auto answers = [&](const std::string& index) {
    return run({"query", "--format", "tsv", at("left/2.png"), at("right/copy.png"), "-d",
                at(index)})
        .out;
  };
  EXPECT_EQ(answers("all.db"), answers("whole.db"));
  const ProgramResult next = run({"index", "-d", at("all.db")});
  EXPECT_THAT(next.err, HasSubstr("0 indexed, 11 unchanged, 0 removed"));
}

TEST_F(Merge, IntoAnIndexCompletesItInAnyOrderAndTwice) {
  ASSERT_EQ(merge({"my-left.db"}, "my-right.db").exit_code, 0);
  expect_whole("my-right.db");
  const ProgramResult again = merge({"left.db", "right.db", "left.db"}, "my-right.db");
  ASSERT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("left.db: 5 images, 0 of them new"));
  expect_whole("my-right.db");
  EXPECT_EQ(show("my-left.db")["content_hash"], show("left.db")["content_hash"]);
}

TEST_F(Merge, OfOtherSettingsOrAnotherCodebookIsRefusedByTheirNames) {
  const auto index = [](const std::string& name, const Words& more) {
    Words words = {"index", at("left"), "-d", at(name)};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).exit_code, 1);
  };
  index("my-words.db", {"--words", "65"});
  EXPECT_THAT(expect_refused({"right.db", "my-words.db"}, 2),
              AllOf(HasSubstr("my-words.db: cannot be merged with"), HasSubstr("right.db"),
                    HasSubstr("differ: codebook.hash\n")));
  index("my-fewer.db", {"--set", "extract.max_features=100"});
  EXPECT_THAT(expect_refused({"my-fewer.db"}, 2, "my-left.db"),
              HasSubstr("differ: codebook.hash, extract.max_features\n"));
}

TEST_F(Merge, OfWhatIsNoIndexOrHoldsNothingIsRefused) {
  folder_->write("my-text", "text");
  { IndexWriter empty(at("my-empty.db")); }
  for (const std::string name : {"my-text", "my-missing", "my-empty.db", "left/0.png", "left"}) {
    EXPECT_THAT(expect_refused({"right.db", name}, 3), HasSubstr(at(name))) << name;
  }
}

TEST_F(Merge, IsNotMadeWhereItsNameWouldBeIndexedNorOfAnotherFile) {
  EXPECT_THAT(expect_refused({"left.db"}, 2, "left/new.png"), HasSubstr("is, or would be"));
  const std::string text = folder_->write("my-text", "text");
  EXPECT_EQ(merge({"left.db"}, "my-text").exit_code, 3);
  EXPECT_EQ(content_of(text), "text");
}

TEST_F(Merge, FillsAnEmptyFileAsAMergeLeavesItThatIsKilledAtItsStart) {
  folder_->write("my-new.db", "");
  ASSERT_EQ(merge({"left.db", "right.db"}, "my-new.db").exit_code, 0);
  expect_whole("my-new.db");
}

TEST_F(Merge, OfAnIndexIntoItselfIsRefused) {
  fs::create_symlink("my-left.db", at("my-link.db"));
  for (const std::string name : {"my-left.db", "my-link.db"}) {
    EXPECT_THAT(expect_refused({"right.db", name}, 2, "my-left.db"),
                HasSubstr("is the target itself"));
  }
}

TEST_F(Merge, OfAnIndexThatIsBeingWrittenIsRefused) {
  {
    const IndexWriter writer(at("my-left.db"));
    EXPECT_THAT(
        expect_refused({"right.db", "my-left.db"}, 5),
        AllOf(HasSubstr("my-left.db: is being written by process"), HasSubstr("afterwards")));
    EXPECT_THAT(expect_refused({"right.db"}, 5, "my-left.db"), HasSubstr("is being written"));
  }
  EXPECT_EQ(merge({"right.db"}, "my-left.db").exit_code, 0);
}

TEST_F(Merge, OfAFileWithTwoContentsIsRefusedAndWhatWasMergedBeforeStays) {
  {
    IndexWriter writer(at("my-right.db"));
    const SourceFile file = {at("left/2.png"), 1, 1};
    writer.move_files(std::vector<MovedFile>{{at("right/3.png"), file}});
  }
  EXPECT_THAT(expect_refused({"my-right.db"}, 3, "my-left.db"),
              AllOf(HasSubstr(at("left/2.png") + ": the indexes have different contents")));
  EXPECT_EQ(merge({"left.db", "my-right.db"}).exit_code, 3);
  EXPECT_EQ(show("all.db")["content_hash"], show("left.db")["content_hash"]);
}

TEST_F(Merge, KeepsAFileIndexedThatOneHasSetAside) {
  const SkippedFile unreadable = {{at("left/2.png"), 1, 1}, "unreadable", "Permission denied"};
  IndexWriter(at("my-right.db")).put_in_quarantine(std::vector<SkippedFile>{unreadable});
  ASSERT_EQ(merge({"left.db", "my-right.db"}).exit_code, 0);
  expect_whole("all.db");
  ASSERT_EQ(merge({"left.db"}, "my-right.db").exit_code, 0);
  expect_whole("my-right.db");
}

TEST_F(Merge, KeepsWhatWasRejected) {
  ASSERT_EQ(run({"reject", "-d", at("my-left.db"), at("left/0.png"), at("left/2.png")}).exit_code,
            0);
  ASSERT_EQ(merge({"my-left.db", "right.db"}).exit_code, 0);
  EXPECT_EQ(content_of(at("all.db.rejected")), content_of(at("my-left.db.rejected")));
}

}  // namespace
}  // namespace lookalike
