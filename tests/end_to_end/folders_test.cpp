// The folders of an index when a user adds, loses, renames and removes them.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "storage/index_writer.h"
#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/kept_copy.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Folders : public testing::Test {
 protected:
  Folders() {
    kept_->put_back();
    EXPECT_EQ(index().exit_code, 0);
  }
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    draw("a", 25);
    draw("b", 3);
    EXPECT_EQ(index({"--images", at("a")}).exit_code, 0);
    kept_ = std::make_unique<KeptCopy>(*folder_);
  }
  static void TearDownTestSuite() {
    folder_.reset();
    kept_.reset();
  }

  static std::string at(const std::string& name) { return folder_->path() / name; }
  static void draw(const std::string& name, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      folder_->write(fmt::format("{}/{}.png", name, i),
                     text(encode(".png", draw_picture(96, 80, next_picture_++))));
    }
  }
  static ProgramResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"--database", at("index.db")});
    return run_program("lookalike", arguments);
  }
  static ProgramResult index(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"index", "--set", "codebook.words=16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // Returns the indexed files by folder, as `lookalike folders` lists them; "" for files in none.
  std::map<std::string, int> files() const {
    const auto answer = nlohmann::json::parse(run({"folders", "--json"}).out);
    std::map<std::string, int> files;
    for (const auto& folder : answer["folders"]) files[folder["path"]] = folder["files"];
    if (answer["files_without_folder"] > 0) files[""] = answer["files_without_folder"];
    return files;
  }
  nlohmann::json last_run() const {
    return nlohmann::json::parse(run({"runs", "--last", "1", "--json"}).out)["report"];
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::unique_ptr<KeptCopy> kept_;  // of the folder, as each test gets it
  static inline unsigned next_picture_ = 0;
};

using Counts = std::map<std::string, int>;

TEST_F(Folders, AnotherFolderIsAddedAndTheFirstOneStays) {
  const ProgramResult result = index({"--images", at("b")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("3 indexed"), HasSubstr("0 removed"),
                                HasSubstr(at("a") + ": not scanned by this run; its 25 files")));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}, {at("b"), 3}}));
  draw("a/more", 1);
  fs::remove(at("b/0.png"));
  EXPECT_THAT(index().err, AllOf(HasSubstr("1 indexed"), HasSubstr("1 removed")));
  EXPECT_EQ(files(), (Counts{{at("a"), 26}, {at("b"), 2}}));
}

TEST_F(Folders, MistypedNewFolderIsAnInputErrorAndIsNotRemembered) {
  const ProgramResult result = index({"--images", at("bb"), at("b")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(at("bb") + ": no such folder"));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
}

TEST_F(Folders, IndexWithoutAnyIsAUsageErrorAndMakesNoDatabase) {
  const ProgramResult result =
      run_program("lookalike", {"index", "--database", at("new.db"), "--images", at("none")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(run_program("lookalike", {"index", "--database", at("new.db")}).exit_code, 2);
  EXPECT_FALSE(fs::exists(at("new.db")));
}

TEST_F(Folders, KnownFolderThatIsMissingKeepsItsFilesAndTheOthersAreScanned) {
  index({"--images", at("b")});
  fs::rename(at("a"), at("aside"));
  draw("b/more", 1);
  const ProgramResult result = index();
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.err, AllOf(HasSubstr(at("a") + ": no such folder; its 25 files stay"),
                                HasSubstr("1 indexed")));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}, {at("b"), 4}}));
  fs::rename(at("aside"), at("a"));
  EXPECT_EQ(index().exit_code, 0);
}

TEST_F(Folders, ManyRemovalsWaitUntilTheyAreConfirmed) {
  for (int i = 0; i < 21; ++i) fs::remove(at(fmt::format("a/{}.png", i)));
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = index();
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.err, AllOf(HasSubstr("the removal of 21 of 25 files is withheld"),
                                  HasSubstr("--confirm-removals " + at("a"))));
    EXPECT_EQ(last_run()["files"]["withheld"], 21);
    EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  }
  const ProgramResult metrics = index({"--metrics", at("metrics.prom")});
  const std::string text = content_of(at("metrics.prom"));
  EXPECT_THAT(
      text, HasSubstr("lookalike_index_withheld_files{database=\"" + at("index.db") + "\"} 21\n"));
  fs::remove(at("a/21.png"));  // not withheld before, so judged separately
  const ProgramResult confirmed = index({"--confirm-removals", at("a/")});
  EXPECT_EQ(confirmed.exit_code, 0) << confirmed.err;
  EXPECT_EQ(last_run()["files"]["removed"], 22);
  EXPECT_EQ(files(), (Counts{{at("a"), 3}}));
}

TEST_F(Folders, AConfirmationCoversOnlyWhatWasWithheld) {
  draw("a/more", 25);
  ASSERT_EQ(index().exit_code, 0);
  fs::remove_all(at("a/more"));
  EXPECT_THAT(index().err, HasSubstr("the removal of 25 of 50 files is withheld"));
  for (int i = 0; i < 21; ++i) fs::remove(at(fmt::format("a/{}.png", i)));
  const ProgramResult confirmed = index({"--confirm-removals", at("a")});
  EXPECT_EQ(confirmed.exit_code, 7);
  EXPECT_THAT(confirmed.err, HasSubstr("the removal of 21 of 25 files is withheld"));
  EXPECT_EQ(last_run()["files"]["removed"], 25);
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
}

TEST_F(Folders, FilesThatCanNoLongerBeUsedCountAsGoneUnderTheGuard) {
  const auto empty = [&](const std::string& name) { fs::resize_file(at("a/" + name), 0); };
  for (int i = 0; i < 21; ++i) empty(fmt::format("{}.png", i));
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = index();
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.err, AllOf(HasSubstr("the removal of 21 of 25 files is withheld"),
                                  HasSubstr("; 21 of them exist, but cannot be used. "),
                                  HasSubstr("0 removed, 0 moved, 21 skipped (21 of them new), "
                                            "21 withheld")));
    EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  }
  const ProgramResult retrained = run({"retrain", "--words", "16", "--seed", "4"});
  EXPECT_EQ(retrained.exit_code, 3);
  EXPECT_THAT(retrained.err, HasSubstr("would lose 21 files gone or unusable"));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  index({"--confirm-removals", at("a")});
  EXPECT_EQ(last_run()["files"]["removed"], 21);
  EXPECT_EQ(files(), (Counts{{at("a"), 4}}));
  empty("21.png");
  EXPECT_THAT(index().err, HasSubstr("1 removed, 0 moved, 22 skipped (1 of them new)"));
}

TEST_F(Folders, ConfirmedRemovalsOfFilesThatCameBackAreNotApplied) {
  fs::rename(at("a"), at("aside"));
  fs::create_directory(at("a"));
  EXPECT_THAT(index().err, HasSubstr("no image is left in it"));
  fs::remove(at("a"));
  fs::rename(at("aside"), at("a"));
  EXPECT_EQ(index({"--confirm-removals", at("a")}).exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
}

TEST_F(Folders, OnlyFoldersOfTheIndexCanBeConfirmed) {
  const ProgramResult result = index({"--confirm-removals", at("b")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is not a folder of this index"));
}

TEST_F(Folders, NothingLeavesAFolderThatIsOnAnotherDiskNow) {
  const auto change_disks = [this] {
    Connection connection(at("index.db"), Connection::Mode::kWrite);
    connection.execute("UPDATE devices SET device = device + 1, file_system = file_system + 1");
    seal_rows(connection, "devices", "device > ?", std::int64_t{0});
  };
  change_disks();
  EXPECT_EQ(index().exit_code, 0);  // nothing is gone, so the new state is accepted
  fs::remove(at("a/0.png"));
  EXPECT_EQ(index().exit_code, 0);
  change_disks();
  fs::remove(at("a/1.png"));
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = index();
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.err, HasSubstr("is on another disk than before"));
  }
  EXPECT_EQ(index({"--confirm-removals", at("a")}).exit_code, 0);
  fs::remove(at("a/2.png"));
  EXPECT_EQ(index().exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 22}}));
}

TEST_F(Folders, FilesThatTurnUpElsewhereHaveMoved) {
  index({"--images", at("b")});
  for (int i = 0; i < 25; ++i) {
    fs::rename(at(fmt::format("a/{}.png", i)), at(fmt::format("b/from-a-{}.png", i)));
  }
  const ProgramResult result = index();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("25 moved"), HasSubstr("0 removed")));
  EXPECT_EQ(files(), (Counts{{at("a"), 0}, {at("b"), 28}}));
}

TEST_F(Folders, FolderInAFolderIsHeldByBoth) {
  draw("a/inner", 2);
  index({"--images", at("a"), at("a/inner")});
  EXPECT_EQ(files(), (Counts{{at("a"), 25}, {at("a/inner"), 2}}));
  EXPECT_EQ(run({"remove", at("a/inner")}).exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 27}}));
  index({"--images", at("a/inner")});
  fs::remove(at("a/inner/0.png"));
  EXPECT_THAT(index({"--images", at("a/inner")}).err, HasSubstr("1 removed"));
  EXPECT_EQ(run({"remove", at("a")}).exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a/inner"), 1}}));
}

TEST_F(Folders, RemovedFolderIsForgottenAndComesBackWhenItIsNamed) {
  index({"--images", at("b")});
  EXPECT_EQ(run({"remove", at("b")}).exit_code, 0);
  EXPECT_EQ(index().exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  EXPECT_EQ(run({"remove", at("b")}).exit_code, 1);
  index({"--images", at("b")});
  EXPECT_EQ(files(), (Counts{{at("a"), 25}, {at("b"), 3}}));
}

TEST_F(Folders, FilesOfNoFolderAreKeptAndListed) {
  {
    IndexWriter writer(at("index.db"));
    const std::string root = at("a");
    writer.forget_roots({&root, 1});
  }
  EXPECT_EQ(index().exit_code, 2);
  const ProgramResult result = index({"--images", at("b")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("25 files stay, in no folder of the index"));
  EXPECT_EQ(files(), (Counts{{"", 25}, {at("b"), 3}}));
  EXPECT_THAT(run({"folders"}).out, HasSubstr("in no folder of the index"));
}

TEST_F(Folders, MoveFollowsAFolderWithoutExtractingAgain) {
  draw("a/deep", 1);
  index();
  fs::rename(at("a"), at("renamed"));
  const ProgramResult moved = run({"move", at("a"), at("renamed")});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_EQ(files(), (Counts{{at("renamed"), 26}}));
  EXPECT_THAT(index().err, HasSubstr("0 indexed, 26 unchanged, 0 removed"));
  const ProgramResult again = run({"move", at("a"), at("renamed")});
  EXPECT_EQ(again.exit_code, 0) << again.err;  // an earlier call did it
  const ProgramResult typo = run({"move", at("typo"), at("renamed")});
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_THAT(typo.err, HasSubstr("typo: is not in the index, nor was it moved to"));
  // As if the first call had been killed before it renamed the folder of the index.
  IndexWriter(at("index.db")).put_roots(std::vector<IndexRoot>{{.path = at("a")}});
  const ProgramResult completed = run({"move", at("a"), at("renamed")});
  EXPECT_EQ(completed.exit_code, 0) << completed.err;
  EXPECT_THAT(completed.err, HasSubstr("moved already"));
  EXPECT_EQ(files(), (Counts{{at("renamed"), 26}}));
}

TEST_F(Folders, AFileWhoseSizeAndTimeStayIsReadAgain) {
  const std::string picture = content_of(at("a/1.png"));
  folder_->write("a/1.png", picture + '1');
  index();
  const auto time = fs::last_write_time(at("a/1.png"));
  const auto content = [&](const std::string& name) {
    return nlohmann::json::parse(run({"show", at(name), "--json"}).out)["content"];
  };
  const auto before = content("a/1.png");
  folder_->write("a/1.png", picture + '2');
  fs::last_write_time(at("a/1.png"), time);
  index();
  EXPECT_NE(content("a/1.png"), before);
}

TEST_F(Folders, ARestoredBackupIsReadButNotExtractedAgain) {
  for (const auto& entry : fs::directory_iterator(at("a"))) {
    const auto time = fs::last_write_time(entry.path());
    fs::copy_file(entry.path(), at("restored"));
    fs::rename(at("restored"), entry.path());
    fs::last_write_time(entry.path(), time);
  }
  const ProgramResult result = index();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(last_run()["busy_seconds"].contains("variance")) << last_run();
  EXPECT_THAT(result.err, HasSubstr("0 indexed, 25 unchanged"));
  EXPECT_THAT(index().err, HasSubstr("25 unchanged"));
}

TEST_F(Folders, LinkedFoldersAreNamedOrFollowed) {
  draw("elsewhere/new", 1);
  fs::create_directory_symlink("../elsewhere", at("a/linked"));
  EXPECT_THAT(index().err, HasSubstr("1 link to a folder is not followed: " + at("a/linked")));
  EXPECT_EQ(last_run()["left_out"]["linked_folders"], 1);
  EXPECT_THAT(index({"--follow-links"}).err, Not(HasSubstr("link")));
  EXPECT_EQ(files(), (Counts{{at("a"), 26}}));
}

TEST_F(Folders, MoveLeavesFilesWhoseContentIsNotThere) {
  fs::create_directory(at("copy"));
  fs::copy(at("a"), at("copy"));
  fs::remove(at("copy/1.png"));
  folder_->write("copy/2.png", "something else");
  const ProgramResult moved = run({"move", at("a"), at("copy")});
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_THAT(moved.err, AllOf(HasSubstr("a/1.png: stays: No such file"),
                               HasSubstr("a/2.png: stays: the file at the new place has other")));
  EXPECT_EQ(files(), (Counts{{at("a"), 2}, {at("copy"), 23}}));
  EXPECT_EQ(run({"move", at("nowhere"), at("elsewhere")}).exit_code, 3);
  EXPECT_EQ(run({"move", at("a"), at("b/../a")}).exit_code, 2);
}

TEST_F(Folders, RetrainTakesAllFoldersAndLosesNothing) {
  index({"--images", at("b")});
  {
    IndexWriter writer(at("index.db"));
    const std::string root = at("b");
    writer.forget_roots({&root, 1});
  }
  draw("c", 2);
  const ProgramResult result =
      run({"retrain", "--images", at("c"), "--words", "16", "--seed", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(files(), (Counts{{"", 3}, {at("a"), 25}, {at("c"), 2}}));
}

TEST_F(Folders, RetrainThatWouldLoseImagesLeavesTheIndex) {
  const auto retrain = [&] { return run({"retrain", "--words", "16", "--seed", "4"}); };
  for (int i = 0; i < 21; ++i) fs::remove(at(fmt::format("a/{}.png", i)));
  ProgramResult result = retrain();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("retraining would lose 21 files gone or unusable"));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  index();
  index({"--confirm-removals", at("a")});
  fs::remove(at("a/21.png"));
  result = retrain();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 removed"));
  EXPECT_EQ(files(), (Counts{{at("a"), 3}}));
}

TEST_F(Folders, FilesThatAreExcludedNowCountAsRemovedUnderTheGuard) {
  const ProgramResult few = index({"--exclude", "1?.png"});  // 10 of 25
  EXPECT_EQ(few.exit_code, 0) << few.err;
  EXPECT_THAT(few.err,
              AllOf(HasSubstr("10 removed"), HasSubstr("excluded files and folders left out: 10")));
  EXPECT_EQ(index().exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  const ProgramResult many = index({"--exclude", "[!9].png", "--exclude", "??.png"});
  EXPECT_EQ(many.exit_code, 7);
  EXPECT_THAT(many.err,
              AllOf(HasSubstr("the removal of 24 of 25 files is withheld"),
                    HasSubstr("; 24 of them exist, and are left out by images.exclude (24). ")));
  EXPECT_EQ(files(), (Counts{{at("a"), 25}}));
  EXPECT_EQ(last_run()["left_out"]["excluded"], 24);
  EXPECT_EQ(run({"list", "--state", "gone", "--format", "paths", at("a/3.png")}).out,
            at("a/3.png") + "\n");
  // Runs the command of the message in a shell.
  const std::string command = many.err.substr(many.err.find("lookalike index "));
  const int status = std::system(fmt::format("{}/{} 2> '{}'", LOOKALIKE_PROGRAMS,
                                             command.substr(0, command.find('\n')), at("err"))
                                     .c_str());
  EXPECT_EQ(status, 0) << command << content_of(at("err"));
  EXPECT_EQ(files(), (Counts{{at("a"), 1}}));
}

TEST_F(Folders, OtherTypesAndSystemFoldersAreCounted) {
  folder_->write("a/x.psd", "x");
  folder_->write("a/y.mov", "x");
  folder_->write("a/z.PSD", "x");
  folder_->write("a/@eaDir/0.png", "x");
  const ProgramResult result = index();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("3 other files left out (2 PSD, 1 video), in "),
                                HasSubstr("recycle bins and other system folders left out: 1"),
                                Not(HasSubstr("excluded"))));
  EXPECT_EQ(last_run()["left_out"]["system_folders"], 1);
  EXPECT_EQ(last_run()["left_out"]["other_types"]["psd"], 2);
}

TEST_F(Folders, SettingsOfExtractionStayUnlessOthersAreGiven) {
  fs::remove(at("index.db"));
  ASSERT_EQ(index({"--max-features", "200", at("a")}).exit_code, 0);
  draw("a/more", 1);
  const ProgramResult plain = index();
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.err,
              AllOf(HasSubstr("extract.max_features is 200, as "), HasSubstr("1 indexed")));
  const ProgramResult others = index({"--max-features", "300"});
  EXPECT_EQ(others.exit_code, 2);
  EXPECT_THAT(others.err, HasSubstr("lookalike retrain --database " + at("index.db") +
                                    " --max-features 300 --set codebook.words=16"));
}

TEST_F(Folders, WordsOfAnExistingIndexStayAndAWarningSaysSo) {
  const ProgramResult result = index({"--set", "codebook.words=32"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("codebook.words = 32 has no effect: the index has 16 words; "
                                    "`lookalike retrain`"));
  EXPECT_THAT(index({"--set", "codebook.cells=4"}).err,
              HasSubstr("codebook.cells = 4 has no effect: the index has 16 words"));
  EXPECT_THAT(index({"--set", "codebook.cells=1"}).err, testing::Not(HasSubstr("has no effect")));
  EXPECT_THAT(index().err, testing::Not(HasSubstr("has no effect")));
}

TEST_F(Folders, WordsInCellsAreMadeFoundMergedAndLeftAgain) {
  const std::vector<std::string> by_cells = {"--set", "codebook.words=300", "--set",
                                             "codebook.cells=12"};
  std::vector<std::string> retrain = {"retrain"};
  retrain.insert(retrain.end(), by_cells.begin(), by_cells.end());
  const ProgramResult retrained = run(retrain);
  EXPECT_EQ(retrained.exit_code, 0) << retrained.err;
  EXPECT_EQ(run({"check"}).exit_code, 0);
  const auto found = nlohmann::json::parse(run({"query", "--json", at("a/7.png")}).out);
  EXPECT_EQ(found["matches"][0]["path"], at("a/7.png"));
  EXPECT_EQ(found["matches"][0]["decision"], "duplicate");
  draw("a/more", 1);
  EXPECT_THAT(index().err, HasSubstr("1 indexed"));

  // An index of another folder with the same words.
  EXPECT_EQ(run_program("lookalike", {"index", "--database", at("other.db"), "--codebook",
                                      at("index.db"), at("b")})
                .exit_code,
            0);
  const ProgramResult merged = run({"merge", at("other.db")});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(run({"check"}).exit_code, 0);

  EXPECT_EQ(run({"retrain", "--set", "codebook.words=16"}).exit_code, 0);
  EXPECT_EQ(run({"check"}).exit_code, 0);
}

TEST_F(Folders, MayBeNamedWithoutAnOption) {
  EXPECT_EQ(index({at("b")}).exit_code, 0);
  EXPECT_EQ(files(), (Counts{{at("a"), 25}, {at("b"), 3}}));
}

}  // namespace
}  // namespace lookalike
