// The stage programs one after the other, against the same work in one process.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/index/index_run.h"
#include "storage/index_reader.h"
#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

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
  // Runs a program that must end with the code.
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
    EXPECT_EQ(stages.histogram(*same), run.histogram(image.id));
    EXPECT_EQ(stages.features(*same), run.features(image.id));
    compared += stages.histogram(*same).empty() ? 0 : 1;
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
  for (const char* program : {"lookalike-extract", "lookalike-variance", "lookalike-codebook",
                              "lookalike-assign", "lookalike-store"}) {
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
