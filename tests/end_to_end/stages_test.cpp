// The stage programs in turn give the same index as one process.

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/index/index_run.h"
#include "storage/index_reader.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class StagesTest : public ::testing::Test {
 protected:
  StagesTest() {
    for (unsigned i = 0; i < 9; ++i) {
      folder_.write(fmt::format("photos/{}.png", i),
                    text(encode(".png", draw_picture(200, 150, i))));
    }
    // Larger than the limit, blank, twice the same, and turned by EXIF.
    folder_.write("photos/large.jpg", text(encode(".jpg", draw_picture(1500, 1100, 20))));
    folder_.write("photos/blank.png", text(encode(".png", cv::Mat(90, 90, CV_8U, cv::Scalar(3)))));
    folder_.write("photos/again.png", text(encode(".png", draw_picture(200, 150, 0))));
    folder_.write("photos/turned.jpg",
                  text(with_orientation(encode(".jpg", draw_picture(200, 150, 21)), 6)));
    folder_.write("photos/b.tif",
                  text(encode_pages({draw_picture(200, 150, 31), draw_picture(200, 150, 32),
                                     draw_picture(200, 150, 33)})));
  }

  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  // Runs a program and expects the exit code.
  void run(const std::string& program, const std::vector<std::string>& arguments, int code = 0) {
    const ProgramResult result = run_program(program, arguments);
    ASSERT_EQ(result.exit_code, code) << program << ": " << result.err;
  }
  void codebook_and_store(const std::vector<std::string>& features,
                          const std::vector<std::string>& statistics) {
    std::vector<std::string> codebook = {"--output", at("codebook"), "--features"};
    codebook.insert(codebook.end(), features.begin(), features.end());
    codebook.emplace_back("--statistics");
    codebook.insert(codebook.end(), statistics.begin(), statistics.end());
    run("lookalike-codebook", codebook);
    std::vector<std::string> assign = {"--codebook", at("codebook"), "--output", at("words"),
                                       "--features"};
    assign.insert(assign.end(), features.begin(), features.end());
    run("lookalike-assign", assign);
    std::vector<std::string> store = {"--codebook", at("codebook"),  "--words",     at("words"),
                                      "--database", at("stages.db"), "--statistics"};
    store.insert(store.end(), statistics.begin(), statistics.end());
    run("lookalike-store", store);
  }
  void index_in_one_process() const {
    RunConfig config;
    config.images.folders = {at("photos")};
    config.store.database = at("run.db");
    run_index(config, Progress::Style::kQuiet);
  }

  TemporaryFolder folder_;
};

TEST_F(StagesTest, StageByStageGivesTheSameIndexBitForBit) {
  run("lookalike-extract", {"--images", at("photos"), "--output", at("features")});
  run("lookalike-variance", {"--images", at("photos"), "--output", at("statistics")});
  codebook_and_store({at("features")}, {at("statistics")});
  index_in_one_process();

  const IndexReader stages(at("stages.db"));
  const IndexReader run(at("run.db"));
  EXPECT_EQ(stages.content_hash(), run.content_hash());
  std::size_t compared = 0;
  run.for_each_image([&](const StoredImage& image) {
    const auto same = stages.find(image.paths.front());
    ASSERT_TRUE(same.has_value());
    EXPECT_EQ(stages.image(*same)->paths, image.paths);
    const auto features = stages.features_with_signatures({&*same, 1});
    EXPECT_EQ(features, run.features_with_signatures({&image.id, 1}));
    compared += features.front().empty() ? 0 : 1;
  });
  EXPECT_EQ(compared, 14U);
}

TEST_F(StagesTest, ShardsGiveTheSameIndex) {
  for (const std::string shard : {"0/2", "1/2"}) {
    const std::string end = shard.substr(0, 1);
    run("lookalike-extract",
        {"--images", at("photos"), "--output", at("features" + end), "--shard", shard});
    run("lookalike-variance",
        {"--images", at("photos"), "--output", at("statistics" + end), "--shard", shard});
  }
  codebook_and_store({at("features1"), at("features0")}, {at("statistics0"), at("statistics1")});
  index_in_one_process();
  EXPECT_EQ(IndexReader(at("stages.db")).content_hash(), IndexReader(at("run.db")).content_hash());
}

TEST_F(StagesTest, ShardsOfAManifestAndTheirSamplesGiveTheSameIndexWhileTheFolderChanges) {
  index_in_one_process();
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")});
  folder_.write("photos/00-new.png", text(encode(".png", draw_picture(200, 150, 40))));
  const std::vector<std::string> small = {"--set", "codebook.sample_images=2"};
  std::vector<std::string> names[4];  // features, statistics, samples, words
  for (const std::string shard : {"1-of-3", "2-of-3", "3-of-3"}) {
    names[0].push_back(at("features" + shard));
    names[1].push_back(at("statistics" + shard));
    names[2].push_back(at("sample" + shard));
    names[3].push_back(at("words" + shard));
    run("lookalike-extract", {"--manifest", at("manifest"), "--output", names[0].back(), "--shard",
                              shard, "--skipped", at("skipped" + shard)});
    run("lookalike-variance",
        {"--manifest", at("manifest"), "--output", names[1].back(), "--shard", shard});
    run("lookalike-sample", {"--features", names[0].back(), "--statistics", names[1].back(),
                             "--output", names[2].back(), small[0], small[1]});
  }
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  run("lookalike-codebook",
      with(with({"--output", at("codebook"), "--features"}, names[2]), small));
  run("lookalike-codebook",
      with(with(with({"--output", at("codebook-of-all"), "--features"}, names[0]),
                with({"--statistics"}, names[1])),
           small));
  EXPECT_EQ(content_of(at("codebook")), content_of(at("codebook-of-all")));
  EXPECT_LT(fs::file_size(names[2].front()), fs::file_size(names[0].front()));

  // And of all records, with the words of a run.
  run("lookalike-codebook", with(with({"--output", at("codebook"), "--features"}, names[0]),
                                 with({"--statistics"}, names[1])));
  for (std::size_t i = 0; i < 3; ++i) {
    run("lookalike-assign",
        {"--features", names[0][i], "--codebook", at("codebook"), "--output", names[3][i]});
  }
  run("lookalike-store",
      with(with({"--codebook", at("codebook"), "--database", at("stages.db"), "--words"}, names[3]),
           with({"--statistics"}, names[1])));
  EXPECT_EQ(IndexReader(at("stages.db")).content_hash(), IndexReader(at("run.db")).content_hash());
}

TEST_F(StagesTest, ShardsMayBeThoseOfAnArrayOfTasks) {
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")});
  run("lookalike-variance",
      {"--manifest", at("manifest"), "--output", at("1-of-2"), "--shard", "1-of-2"});
  const ProgramResult task =
      run_program("lookalike-variance",
                  {"--manifest", at("manifest"), "--output", at("task"), "--shard", "env/2"},
                  {"JOB_COMPLETION_INDEX=0"});
  EXPECT_EQ(task.exit_code, 0) << task.err;
  EXPECT_EQ(content_of(at("task")), content_of(at("1-of-2")));
}

TEST_F(StagesTest, SkippedFilesAreInTheArtefactAndNoFailureWhereTheyAreExpected) {
  folder_.write("photos/words.jpg", "text");
  fs::create_symlink("nowhere", at("photos/link.jpg"));
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")}, 1);
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest"), "--skipped",
                         at("scan.skipped"), "--skipped-ok"});
  run("lookalike-extract", {"--manifest", at("manifest"), "--output", at("features")}, 1);
  run("lookalike-extract", {"--manifest", at("manifest"), "--output", at("features"), "--skipped",
                            at("skipped"), "--skipped-ok"});
  run("lookalike-variance",
      {"--manifest", at("manifest"), "--output", at("statistics"), "--skipped-ok"});
  run("lookalike-codebook", {"--features", at("features"), "--output", at("codebook")});
  run("lookalike-assign",
      {"--features", at("features"), "--codebook", at("codebook"), "--output", at("words")});
  run("lookalike-store",
      {"--words", at("words"), "--statistics", at("statistics"), "--codebook", at("codebook"),
       "--skipped", at("skipped"), at("scan.skipped"), "--database", at("stages.db")});
  const std::vector<SkippedFile> quarantine = IndexReader(at("stages.db")).quarantine();
  ASSERT_EQ(quarantine.size(), 2U);
  EXPECT_EQ(quarantine[0].file.path, at("photos/link.jpg"));
  EXPECT_EQ(quarantine[1].reason, "undecodable");
}

TEST_F(StagesTest, AFolderThatCannotBeReadIsAFailureAlsoWhereSkippedFilesAreExpected) {
  folder_.write("photos/below/.lookalikeignore/file", "");  // patterns that cannot be read
  for (const char* program : {"lookalike-scan", "lookalike-variance"}) {
    const ProgramResult result = run_program(
        program, {"--images", at("photos"), "--output", at("out"), "--force", "--skipped-ok"});
    EXPECT_EQ(result.exit_code, 1) << program;
    EXPECT_THAT(result.err, HasSubstr(at("photos/below"))) << program;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    run("lookalike-scan",
        {"--images", at("photos"), "--output", at("list"), "--skipped", at("list.skipped"),
         "--skipped-ok", "--update"},
        1);
    EXPECT_FALSE(fs::exists(at("list")));
    EXPECT_FALSE(fs::exists(at("list.skipped")));
  }
}

TEST_F(StagesTest, AShardOfWhichNoFileIsThereIsAnInputError) {
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")});
  fs::rename(at("photos"), at("unmounted"));
  for (const char* program : {"lookalike-extract", "lookalike-variance"}) {
    const ProgramResult result =
        run_program(program, {"--manifest", at("manifest"), "--output", at("out"), "--skipped-ok"});
    EXPECT_EQ(result.exit_code, 3) << program;
    EXPECT_THAT(result.err, HasSubstr("is their folder mounted on this machine?")) << program;
    EXPECT_FALSE(fs::exists(at("out")));
  }
}

TEST_F(StagesTest, AManifestThatIsNoneOrListsNothingIsAnInputError) {
  fs::create_directory(at("empty"));
  run("lookalike-scan", {"--images", at("empty"), "--output", at("none")}, 3);
  EXPECT_FALSE(fs::exists(at("none")));
  fs::create_symlink("nowhere", at("empty/link.jpg"));
  run("lookalike-scan", {"--images", at("empty"), "--output", at("none"), "--skipped-ok"});
  for (const std::string& manifest : {at("none"), at("photos/0.png"), at("missing")}) {
    const ProgramResult result = run_program(
        "lookalike-variance", {"--manifest", manifest, "--output", at("out"), "--shard", "0/2"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr(manifest));
    EXPECT_FALSE(fs::exists(at("out")));
  }
  run("lookalike-variance",
      {"--manifest", at("none"), "--images", at("photos"), "--output", at("out")}, 2);
}

TEST_F(StagesTest, AnImageOfAManifestIsNeverReplaced) {
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")});
  const ProgramResult result =
      run_program("lookalike-variance",
                  {"--manifest", at("manifest"), "--output", at("photos/0.png"), "--force"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(at("photos/0.png") + ": is an indexed file, or one to index"));
}

TEST_F(StagesTest, UpdateLeavesOutputsThatAreNoOlderThanTheirInputs) {
  run("lookalike-scan", {"--images", at("photos"), "--output", at("manifest")});
  const std::vector<std::string> extract = {"--manifest",   at("manifest"), "--output",
                                            at("features"), "--skipped",    at("skipped"),
                                            "--update"};
  const auto made = [&] { return fs::last_write_time(at("features")); };
  run("lookalike-extract", extract);
  const auto first = made();
  const ProgramResult again = run_program("lookalike-extract", extract);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("up to date"));
  EXPECT_EQ(made(), first);

  fs::remove(at("skipped"));  // one output of two
  run("lookalike-extract", extract);
  EXPECT_GT(made(), first);
  const auto second = made();
  fs::last_write_time(at("manifest"), second + std::chrono::seconds(1));
  run("lookalike-extract", extract);
  EXPECT_GT(made(), second);
  const auto third = made();
  fs::last_write_time(at("manifest"), third);
  run("lookalike-extract", extract);
  EXPECT_EQ(made(), third);
  run("lookalike-extract", {extract.begin(), extract.end() - 1});  // without --update
  EXPECT_GT(made(), third);
}

TEST_F(StagesTest, UnusableFilesAreNamedAndTheExitCodeIsOne) {
  folder_.write("photos/words.jpg", "text");
  const ProgramResult result = run_program(
      "lookalike-extract",
      {"--images", at("photos"), "--output", at("features"), "--skipped", at("skipped")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr(at("photos/words.jpg")), HasSubstr("undecodable")));
  run("lookalike-variance", {"--images", at("photos"), "--output", at("statistics")}, 1);
  run("lookalike-codebook", {"--features", at("features"), "--output", at("codebook")});
  run("lookalike-assign",
      {"--features", at("features"), "--codebook", at("codebook"), "--output", at("words")});
  run("lookalike-store",
      {"--words", at("words"), "--statistics", at("statistics"), "--codebook", at("codebook"),
       "--skipped", at("skipped"), "--database", at("stages.db")});
  ASSERT_EQ(IndexReader(at("stages.db")).quarantine().size(), 1U);
}

TEST_F(StagesTest, WordsWithoutTheirStatisticsAreAnInputError) {
  run("lookalike-extract", {"--images", at("photos"), "--output", at("features")});
  run("lookalike-variance",
      {"--images", at("photos"), "--output", at("statistics"), "--shard", "0/2"});
  run("lookalike-codebook", {"--features", at("features"), "--output", at("codebook")});
  run("lookalike-assign",
      {"--features", at("features"), "--codebook", at("codebook"), "--output", at("words")});
  run("lookalike-store",
      {"--words", at("words"), "--statistics", at("statistics"), "--codebook", at("codebook"),
       "--database", at("stages.db")},
      3);
}

TEST(StagePrograms, HelpNamesInputsAndOutputsWithAnExample) {
  for (const char* program :
       {"lookalike-scan", "lookalike-extract", "lookalike-variance", "lookalike-sample",
        "lookalike-codebook", "lookalike-assign", "lookalike-store"}) {
    const ProgramResult result = run_program(program, {"--help"});
    EXPECT_EQ(result.exit_code, 0) << program;
    EXPECT_THAT(result.out, AllOf(HasSubstr("Input: "), HasSubstr("Output: "),
                                  HasSubstr(std::string("Example: ") + program + " --")));
  }
}

TEST(StagePrograms, WrongShardIsAUsageError) {
  for (const char* shard : {"2/2", "1", "a/b", "0/0", "-1/2", "0/2x"}) {
    const ProgramResult result = run_program(
        "lookalike-extract", {"--images", "/", "--output", "/dev/null/x", "--shard", shard});
    EXPECT_EQ(result.exit_code, 2) << shard;
    EXPECT_THAT(result.err, HasSubstr("--shard: must be I/N")) << shard;
  }
}

}  // namespace
}  // namespace lookalike
