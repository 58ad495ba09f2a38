// `lookalike evaluate` on drawn pictures.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A folder of drawn posters, one of them blank.
class EvaluateTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "posters");
    for (std::uint64_t i = 0; i < 6; ++i) {
      cv::imwrite(path("posters/" + std::to_string(i) + ".png"), draw_poster(i, {300, 400}));
    }
    cv::imwrite(path("posters/blank.png"), cv::Mat(300, 300, CV_8UC3, cv::Scalar::all(90)));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static ProgramResult evaluate(std::vector<std::string> words) {
    words.insert(words.begin(), "evaluate");
    return run_program("lookalike", words);
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> EvaluateTest::folder_;

TEST_F(EvaluateTest, SyntheticNeedsNothingButAFolder) {
  const ProgramResult result =
      evaluate({"--synthetic", "--images", path("posters"), "--kinds", "turn", "--kinds", "jpeg",
                "--json", "--report", path("r.html"), "--ranks", path("ranks.csv")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["photos"], 6);
  ASSERT_EQ(answer["left_out"].size(), 1U);
  EXPECT_EQ(answer["left_out"][0]["path"], path("posters/blank.png"));
  ASSERT_EQ(answer["results"].size(), 14U);
  for (const json& row : answer["results"]) {
    EXPECT_EQ(row["queries"], 6);
    EXPECT_EQ(row["recall_at_1"], 1) << row;
    EXPECT_EQ(row["located_at_iou_75"], 1) << row;
  }
  EXPECT_THAT(content_of(path("r.html")), HasSubstr("<polyline class=\"first\""));
  EXPECT_EQ(std::ranges::count(content_of(path("ranks.csv")), '\n'), 1 + 14 * 6);
}

TEST_F(EvaluateTest, SyntheticOfAnIndexVariesItsOwnPhotosAndLeavesItAsItIs) {
  ASSERT_EQ(run_program("lookalike",
                        {"index", "--images", path("posters"), "--database", path("index.db")})
                .exit_code,
            0);
  const ProgramResult result = evaluate({"--synthetic", "--database", path("index.db"), "--kinds",
                                         "mirror", "--photos", "2", "--mirror", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["photos"], 2);
  EXPECT_EQ(answer["results"][0]["recall_at_1"], 1);
  EXPECT_EQ(answer["results"][0]["located_at_iou_75"], 1);
  EXPECT_EQ(run_program("lookalike", {"check", "--database", path("index.db")}).exit_code, 0);
}

TEST_F(EvaluateTest, TruthMeasuresWhatIsFoundWhereAndWhatIsRejected) {
  const std::string database = path("truth.db");
  ASSERT_EQ(run_program("lookalike", {"index", "--images", path("posters"), "--database", database})
                .exit_code,
            0);
  cv::imwrite(path("crop.png"), draw_poster(2, {300, 400})(cv::Rect(30, 40, 240, 320)));
  cv::imwrite(path("unknown.png"), draw_stranger(5, {500, 400}));
  const std::string truth =
      folder_->write("truth.csv",
                     "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n"
                     "posters/1.png,posters/1.png,0,0,300,0,300,400,0,400\n"
                     "crop.png,posters/2.png,-30,-40,270,-40,270,360,-30,360\n"
                     "crop.png,posters/3.png,0,0,1,0,1,1,0,1\n"
                     "unknown.png,,,,,,,,,\n");
  const ProgramResult result =
      evaluate({"--database", database, "--truth", truth, "--json", "--per-query", "--ranks",
                path("found.csv"), "--report", path("misses.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string misses = content_of(path("misses.html"));
  EXPECT_THAT(misses, AllOf(HasSubstr("1 of 2 missed"), HasSubstr("/3.png\""),
                            HasSubstr("1, right"), Not(HasSubstr("/1.png\""))));
  const json measures = json::parse(result.out);
  EXPECT_EQ(measures["queries"], 2);
  EXPECT_EQ(measures["recall_at_1"], 1);
  EXPECT_LT(measures["mean_average_precision"], 1);
  EXPECT_EQ(measures["located_queries"], 3);
  EXPECT_NEAR(measures["located_at_iou_75"], 2.0 / 3, 1e-9);
  EXPECT_EQ(measures["unknown_rejected"], 1);
  EXPECT_EQ(measures["known_f1"], 1);
  EXPECT_GT(measures["match_median_ms"], 0);
  EXPECT_EQ(measures["depth"], 100);
  EXPECT_EQ(measures["threshold"]["kept"], 1);
  EXPECT_EQ(measures["plain"]["recall_at_1"], 1);
  EXPECT_EQ(measures["plain"]["recall_at_1_confirmed"], 1);
  EXPECT_EQ(measures["plain"]["wrong_confirmed_first"], 0);
  EXPECT_EQ(measures["plain"]["unknown_confirmed"], 0);
  ASSERT_EQ(measures["per_query"].size(), 3U);
  const json& crop = measures["per_query"][1];
  EXPECT_EQ(crop["query"], path("crop.png"));
  EXPECT_EQ(crop["relevant"], 2);
  EXPECT_EQ(crop["plain"]["first_relevant"], true);
  EXPECT_EQ(crop["plain"]["located_at_iou_75"], 1);
  EXPECT_GE(crop["ranking"]["listed"], crop["plain"]["listed"]);
  EXPECT_EQ(crop["candidates"][0][1], true);
  const std::string table = content_of(path("found.csv"));
  EXPECT_THAT(table, HasSubstr("1.png\",1,1.0000\n"));
  folder_->write("truth.csv",
                 "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\ncrop.png,posters/99.png,,,,,,,,\n");
  const ProgramResult wrong = evaluate({"--database", database, "--truth", truth});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("99.png: is relevant to a query but not in the index"));
}

TEST_F(EvaluateTest, PlainFiguresAreOfWhatQueryLists) {
  const std::string database = path("plain.db");
  ASSERT_EQ(run_program("lookalike", {"index", "--images", path("posters"), "--database", database})
                .exit_code,
            0);
  const std::string photo = path("posters/4.png");
  const std::string truth = folder_->write(
      "plain.csv", "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\nposters/4.png,posters/4.png,,,,,,,,\n");
  for (const std::string weakest : {"match.min_decision=similar", "match.min_decision=all"}) {
    const ProgramResult measured = evaluate(
        {"--database", database, "--truth", truth, "--json", "--per-query", "--set", weakest});
    const ProgramResult asked = run_program(
        "lookalike",
        {"query", photo, "--database", database, "--json", "--top", "100", "--set", weakest});
    ASSERT_EQ(measured.exit_code, 0) << measured.err;
    const json query = json::parse(measured.out)["per_query"][0];
    EXPECT_EQ(query["plain"]["listed"], json::parse(asked.out)["matches"].size());
    EXPECT_EQ(query["ranking"]["listed"], 6);
    const json measures = json::parse(measured.out);
    EXPECT_EQ(measures["unknown_queries"], 0);
    EXPECT_TRUE(measures["unknown_rejected"].is_null());
    EXPECT_TRUE(measures["plain"]["located_at_iou_50"].is_null());
  }
}

TEST_F(EvaluateTest, VotesOnTheDeviceChangeNoAnswer) {
  const std::string database = path("device.db");
  ASSERT_EQ(run_program("lookalike", {"index", "--images", path("posters"), "--database", database})
                .exit_code,
            0);
  const std::string photo = path("posters/4.png");
  const auto matches = [&](const std::string& where) {
    const ProgramResult asked = run_program(
        "lookalike", {"query", photo, "--database", database, "--json", "--set",
                      "match.min_decision=all", "--set", "match.device_voting=" + where});
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    return json::parse(asked.out)["matches"];
  };
  const json on_host = matches("off");
  EXPECT_EQ(on_host.size(), 6);
  EXPECT_EQ(matches("on"), on_host);
  const ProgramResult refused =
      run_program("lookalike", {"query", photo, "--database", database, "--set",
                                "match.device_voting=on", "--set", "device.memory_limit_mib=1"});
  EXPECT_EQ(refused.exit_code, 4) << refused.err;
}

TEST_F(EvaluateTest, RanksAsDeepAsTheTruthNeeds) {
  const std::string database = path("deep.db");
  ASSERT_EQ(run_program("lookalike", {"index", "--images", path("posters"), "--database", database})
                .exit_code,
            0);
  std::string rows = "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n";
  for (int i = 0; i < 51; ++i) rows += "posters/1.png,posters/1.png,,,,,,,,\n";
  const std::string truth = folder_->write("deep.csv", rows);
  const auto depth = [&](const std::string& top) {
    return json::parse(
        evaluate({"--database", database, "--truth", truth, "--json", "--set", "match.top=" + top})
            .out)["depth"];
  };
  EXPECT_EQ(depth("10"), 102);
  EXPECT_EQ(depth("200"), 200);
  const std::string summary = evaluate({"--database", database, "--truth", truth}).out;
  EXPECT_THAT(summary, HasSubstr("right first  1, 1 of them confirmed\n"));
  EXPECT_EQ(std::ranges::count(summary, '\n'), 6);
  EXPECT_THAT(evaluate({"--database", database, "--truth", truth, "-v"}).out,
              testing::AllOf(HasSubstr("right first"), HasSubstr("ranking     plain"),
                             testing::ContainsRegex("\nunknown_rejected +-\n")));
}

TEST_F(EvaluateTest, WithoutAQuestionItIsAUsageError) {
  EXPECT_THAT(evaluate({"--database", "x.db"}).err, HasSubstr("--truth FILE.csv, or --synthetic"));
  EXPECT_EQ(evaluate({"--database", "x.db"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--synthetic"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--synthetic", "--truth", "t.csv", "--database", "x.db"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--synthetic", "--matches", "m.csv", "--images", "."}).exit_code, 2);
  EXPECT_EQ(evaluate({"--truth", "t.csv"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--truth", "t.csv", "--database", "x.db", "--per-query"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--truth", "t.csv", "--database", "x.db", "--photos", "3"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--synthetic", "--images", ".", "--kinds", "sideways"}).exit_code, 2);
}

}  // namespace
}  // namespace lookalike
