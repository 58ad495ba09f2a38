// `lookalike explain` on drawn pictures.

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/report_data.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

// An index of drawn posters, a blank image and a nearly blank one.
class ExplainTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "posters");
    for (int i = 0; i < 6; ++i) draw("posters/" + std::to_string(i) + ".png", poster(i));
    draw("posters/blank.png", cv::Mat(200, 200, CV_8U, cv::Scalar(90)));
    cv::Mat slope(200, 200, CV_8U);
    for (int x = 0; x < slope.cols; ++x) slope.col(x).setTo(cv::Scalar(x));
    draw("posters/slope.png", slope);
    const Placement placement = {poster(3), {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}}};
    draw("scene.png", draw_scene(std::span(&placement, 1), {640, 600}, 1));
    folder_->write("broken.png", "not a picture");
    const ProgramResult indexed = run_program(
        "lookalike", {"index", "-q", "--images", path("posters"), "--database", path("index.db")});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static cv::Mat poster(int i) { return draw_poster(static_cast<std::uint64_t>(i), {300, 400}); }
  static void draw(const std::string& name, const cv::Mat& image) {
    cv::imwrite(path(name), image);
  }
  static ProgramResult explain(std::vector<std::string> words) {
    words.insert(words.begin(), {"explain", "--database", path("index.db")});
    return run_program("lookalike", words);
  }
  static json explained(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"--json"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = explain(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }
  // Returns the text with each run of spaces and line ends as one space.
  static std::string joined(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    for (std::string word; words >> word;) result += word + ' ';
    return result;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> ExplainTest::folder_;

TEST_F(ExplainTest, AnImageThatIsFoundPassesEveryStep) {
  const json answer = explained({path("scene.png"), path("posters/3.png")});
  EXPECT_EQ(answer["path"], path("posters/3.png"));
  for (const json& step : answer["steps"]) EXPECT_EQ(step["passed"], true) << step;
  EXPECT_EQ(answer["decision"], "same_object");
  EXPECT_EQ(answer["answer"]["listed"], true);
  EXPECT_EQ(answer["answer"]["place"], 1);
  EXPECT_EQ(answer["votes"]["rank"], 1);
  EXPECT_GT(answer["probability"]["value"], 0.9);
  EXPECT_EQ(answer["pose"]["quad"].size(), 4U);
  std::size_t inliers = 0;
  for (const json& pair : answer["pairs"]) inliers += pair["inlier"].get<bool>() ? 1 : 0;
  EXPECT_EQ(answer["pose"]["inliers"], inliers);
  const json query = json::parse(run_program("lookalike", {"query", "--database", path("index.db"),
                                                           "--json", path("scene.png")})
                                     .out);
  EXPECT_EQ(query["matches"][0]["quad"], answer["pose"]["quad"]);
  EXPECT_EQ(query["matches"][0]["probability"], answer["probability"]["value"]);
}

TEST_F(ExplainTest, TheTextNamesEachStepAndFitsATerminal) {
  const ProgramResult result = explain({path("scene.png"), path("posters/3.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string step : {"features", "words", "votes", "pairs", "pose", "refine",
                                 "probability", "decision", "answer"}) {
    EXPECT_THAT(result.out, HasSubstr("\n" + step + " ")) << step;
  }
  EXPECT_THAT(joined(result.out),
              HasSubstr("answer yes Listed: \"same_object\", number 1 of 1, in place 1."));
  EXPECT_THAT(result.out, HasSubstr("agreement in detail"));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(folder_->path().native()) == std::string::npos) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST_F(ExplainTest, AnImageMayBeNamedByItsNumber) {
  const json by_path = explained({path("scene.png"), path("posters/3.png")});
  EXPECT_EQ(explained({path("scene.png"), to_string(by_path["id"])}), by_path);
}

TEST_F(ExplainTest, AnImageThatIsNotShownFailsWithReasons) {
  const json answer = explained({path("scene.png"), path("posters/1.png")});
  EXPECT_EQ(answer["decision"], "none");
  EXPECT_EQ(answer["answer"]["listed"], false);
  EXPECT_TRUE(answer["answer"]["place"].is_null());
  const json& last = answer["steps"].back();
  EXPECT_EQ(last["step"], "answer");
  EXPECT_EQ(last["passed"], false);
  EXPECT_THAT(last["reason"].get<std::string>(), HasSubstr("Not "));
}

TEST_F(ExplainTest, TheRankIsGivenBeyondTheShortlistToo) {
  // The other posters with a vote rank below the one in the photo.
  const json answer =
      explained({"--set", "match.shortlist=1", path("posters/3.png"), path("posters/1.png")});
  EXPECT_EQ(answer["votes"]["shortlisted"], false);
  EXPECT_EQ(answer["votes"]["shortlist"], 1);
  ASSERT_GT(answer["votes"]["rank"], 1);
  EXPECT_THAT(answer["steps"].back()["reason"].get<std::string>(),
              HasSubstr("only the first is verified"));
}

TEST_F(ExplainTest, ABlankImageAndOneWithoutFeaturesSaySo) {
  for (const std::string name : {"posters/blank.png", "posters/slope.png"}) {
    const json answer = explained({path("scene.png"), path(name)});
    EXPECT_EQ(answer["features"]["image"], 0) << name;
    EXPECT_THAT(answer["steps"][0]["reason"].get<std::string>(),
                HasSubstr("only its very file finds it"));
    EXPECT_EQ(answer["answer"]["listed"], false);
    EXPECT_EQ(explain({path("scene.png"), path(name)}).exit_code, 0);
    const json itself = explained({path(name), path(name)});
    EXPECT_EQ(itself["refine"]["identical"], true) << name;
    EXPECT_EQ(itself["decision"], "duplicate");
    EXPECT_EQ(itself["answer"]["listed"], true);
    EXPECT_EQ(itself["answer"]["decision"], "duplicate");
  }
}

TEST_F(ExplainTest, APhotoThatCannotBeReadIsAnInputError) {
  const ProgramResult result = explain({"--json", path("broken.png"), path("posters/3.png")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("undecodable"));
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["query"], path("broken.png"));
  EXPECT_EQ(answer["error"]["kind"], "input");
  EXPECT_EQ(explain({path("nowhere.png"), path("posters/3.png")}).exit_code, 3);
}

TEST_F(ExplainTest, AnImageThatIsNotIndexedIsAnInputError) {
  for (const std::string& name : {path("scene.png"), std::string("4711")}) {
    const ProgramResult plain = explain({path("scene.png"), name});
    EXPECT_EQ(plain.exit_code, 3);
    EXPECT_THAT(plain.out, IsEmpty());
    EXPECT_THAT(plain.err, HasSubstr(name + ": is not in the index"));
  }
  const json answer = json::parse(explain({"--json", path("scene.png"), "4711"}).out);
  EXPECT_EQ(answer["image"], "4711");
  EXPECT_EQ(answer["error"]["reason"], "not_indexed");
}

TEST_F(ExplainTest, ThePageShowsBothPicturesAndTheSteps) {
  const std::string page = path("why.html");
  ASSERT_EQ(explain({"--report", page, path("scene.png"), path("posters/3.png")}).exit_code, 0);
  const std::string html = content_of(page);
  const json answer = data_in(html, "item").at(1);
  json printed = json::parse(explain({"--json", path("scene.png"), path("posters/3.png")}).out);
  printed.erase("schema");
  EXPECT_EQ(answer, printed);
  const json pictures = data_in(html, "pictures").at(0);
  EXPECT_TRUE(pictures.at("photo " + path("scene.png")).contains("url"));
  EXPECT_TRUE(pictures.at(answer["id"].dump()).contains("url"));

  // A failure leaves the earlier page unchanged.
  EXPECT_EQ(explain({"--report", page, path("broken.png"), path("posters/3.png")}).exit_code, 3);
  EXPECT_EQ(content_of(page), html);
}

}  // namespace
}  // namespace lookalike
