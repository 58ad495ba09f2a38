// The commands that keep an index in order.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/stored_calibration.h"
#include "storage/index_writer.h"
#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UpkeepCommands : public testing::Test {
 protected:
  UpkeepCommands() {
    const std::string posters = at("photos");
    EXPECT_EQ(run_program("lookalike-example", {"posters", "--count", "3", "--output", posters})
                  .exit_code,
              0);
  }
  std::string at(const std::string& name) const { return folder_.path() / name; }
  ProgramResult run(const std::string& command, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {command, "--database", at("index.db")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("lookalike", arguments);
  }
  int index() const { return run("index", {"--images", at("photos"), "-q"}).exit_code; }
  nlohmann::json show() const { return nlohmann::json::parse(run("show", {"--json"}).out); }
  std::string content_hash() const {
    return nlohmann::json::parse(run("show", {"--json", "--content-hash"}).out).at("content_hash");
  }

  TemporaryFolder folder_;
};

TEST_F(UpkeepCommands, CheckIsSilentOnAWholeIndexAndListsWhatIsWrongWithADamagedOne) {
  ASSERT_EQ(index(), 0);
  const ProgramResult whole = run("check");
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.out, IsEmpty());
  const auto third = static_cast<std::streamoff>(fs::file_size(at("index.db")) / 3);
  for (const std::streamoff place : {third, std::streamoff{100}, std::streamoff{0}}) {
    {
      std::fstream file(at("index.db"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(place);
      // Whole pages, since a part of one may be unused.
      file << std::string(place == third ? 80'000 : 4, '?');
    }
    const ProgramResult damaged = run("check", {"--json"});
    EXPECT_EQ(damaged.exit_code, 5) << place;
    EXPECT_FALSE(nlohmann::json::parse(damaged.out)["problems"].empty()) << place;
    EXPECT_THAT(damaged.err, HasSubstr("restore a backup")) << place;
    EXPECT_THAT(run("check").out, HasSubstr("\n")) << place;
  }
}

TEST_F(UpkeepCommands, CheckListsACalibrationThatCannotBeRead) {
  ASSERT_EQ(index(), 0);
  IndexWriter(at("index.db")).set_derived(kCalibrationName, "garbage");
  const ProgramResult damaged = run("check");
  EXPECT_EQ(damaged.exit_code, 5);
  EXPECT_EQ(damaged.out, "derived: calibration.second_look is damaged, was 'garbage'\n");
  EXPECT_THAT(damaged.err, HasSubstr("1 problem found"));
}

TEST_F(UpkeepCommands, CheckReadsTheRejectedPairsToo) {
  ASSERT_EQ(index(), 0);
  ASSERT_EQ(run("reject", {at("photos/poster-00.png"), at("photos/poster-01.png")}).exit_code, 0);
  EXPECT_EQ(run("check").exit_code, 0);
  fs::resize_file(at("index.db.rejected"), fs::file_size(at("index.db.rejected")) - 1);
  const ProgramResult damaged = run("check");
  EXPECT_EQ(damaged.exit_code, 5);
  EXPECT_THAT(damaged.out, HasSubstr("index.db.rejected: is damaged"));
}

TEST_F(UpkeepCommands, CheckSaysOfAnEmptyIndexThatItIsEmpty) {
  folder_.write("index.db", "");
  const ProgramResult empty = run("check", {"--json"});
  EXPECT_EQ(empty.exit_code, 0);
  const auto answer = nlohmann::json::parse(empty.out);
  EXPECT_EQ(answer["empty"], true);
  EXPECT_THAT(answer["problems"], IsEmpty());
  EXPECT_THAT(empty.err, HasSubstr("index.db: is empty"));
}

TEST_F(UpkeepCommands, RemovedFilesAreGoneAndComeBackWithTheNextRun) {
  ASSERT_EQ(index(), 0);
  const auto content = content_hash();
  EXPECT_EQ(run("remove", {at("photos/poster-01.png")}).exit_code, 0);
  EXPECT_EQ(show()["images"], 2);
  EXPECT_EQ(run("remove", {at("photos/poster-01.png")}).exit_code, 1);
  EXPECT_EQ(run("remove", {at("photos") + "/"}).exit_code, 0);
  EXPECT_EQ(show()["images"], 0);
  EXPECT_EQ(run("compact").exit_code, 0);
  EXPECT_EQ(show()["postings"], 0);
  ASSERT_EQ(index(), 0);
  EXPECT_EQ(content_hash(), content);
}

TEST_F(UpkeepCommands, QuarantineListsEachFileAndBelowItTheDetailWhateverItsName) {
  folder_.write("photos/bad\nname.jpg", "no image");
  EXPECT_EQ(index(), 1);
  const ProgramResult list = run("quarantine");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(std::ranges::count(list.out, '\n'), 2) << list.out;
  EXPECT_THAT(list.out,
              testing::ContainsRegex("^undecodable +/.*bad\\\\x0Aname.jpg\n +not an image"));
  const auto answer = nlohmann::json::parse(run("quarantine", {"--json"}).out);
  EXPECT_EQ(answer["quarantine"].at(0)["path"], at("photos/bad\nname.jpg"));
}

TEST_F(UpkeepCommands, AnswersOfAQueryShowEachImageOnOneLineWhateverItsName) {
  fs::rename(at("photos/poster-01.png"), at("photos/poster\n\x1b[2J.png"));
  ASSERT_EQ(index(), 0);
  const ProgramResult found = run("query", {"-q", at("photos/poster\n\x1b[2J.png")});
  EXPECT_THAT(found.out, HasSubstr("  " + at("photos/poster\\x0A\\x1B[2J.png") + "\n"));
  EXPECT_THAT(found.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace lookalike
