// `lookalike query` on drawn pictures, from a folder to answers.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/geometry.h"
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
using testing::Not;

constexpr int kPosters = 12;
const Quad kPlace = {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}};

// An index of drawn posters, shared by the tests, and photos to look up.
class QueryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "posters");
    for (int i = 0; i < kPosters; ++i) {
      draw("posters/" + std::to_string(i) + ".png", poster(i));
    }
    const Placement placement = {poster(3), kPlace};
    draw("scene.png", draw_scene(std::span(&placement, 1), {640, 600}, 1));
    draw("stranger.png", draw_stranger(5, {500, 400}));
    folder_->write("broken.png", "not a picture");
    indexed_ = run_program("lookalike",
                           {"index", "--images", path("posters"), "--database", path("index.db")});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static cv::Mat poster(int i) { return draw_poster(static_cast<std::uint64_t>(i), {300, 400}); }
  static void draw(const std::string& name, const cv::Mat& image) {
    cv::imwrite(path(name), image);
  }
  static ProgramResult query(std::vector<std::string> words) {
    words.insert(words.begin(), {"query", "--database", path("index.db")});
    return run_program("lookalike", words);
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static ProgramResult indexed_;
};
std::unique_ptr<TemporaryFolder> QueryTest::folder_;
ProgramResult QueryTest::indexed_;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

double largest_corner_error(const json& quad, const Quad& truth) {
  double largest = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = quad.at(i).at(0);
    const double y = quad.at(i).at(1);
    largest = std::max(largest, std::hypot(x - truth[i].x, y - truth[i].y));
  }
  return largest;
}

TEST_F(QueryTest, IndexingSaysWhatItDid) {
  EXPECT_EQ(indexed_.exit_code, 0) << indexed_.err;
  EXPECT_THAT(indexed_.out, IsEmpty());
  EXPECT_THAT(indexed_.err, HasSubstr("12 indexed"));
}

TEST_F(QueryTest, FindsThePosterInAScene) {
  const ProgramResult result = query({"--json", path("scene.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["query"], path("scene.png"));
  ASSERT_EQ(answer["matches"].size(), 1U) << answer;
  const json& best = answer["matches"][0];
  EXPECT_EQ(best["path"], path("posters/3.png"));
  EXPECT_LT(largest_corner_error(best["quad"], kPlace), 3) << best;
  EXPECT_GT(best["correlation"], 0.8);
  EXPECT_GE(best["inliers"], 6);
  EXPECT_GT(best["score"], 0);
}

TEST_F(QueryTest, TellsHowFarThePixelsMovedTheCorners) {
  const ProgramResult plain = query({"--json", path("scene.png")});
  const json best = json::parse(plain.out)["matches"].at(0);
  EXPECT_GT(best["moved_px"], 0);
  EXPECT_LT(best["moved_px"], 20);
}

TEST_F(QueryTest, FindsNothingInNoise) {
  const ProgramResult result = query({"--json", path("stranger.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(json::parse(result.out).at("matches"), IsEmpty());
  EXPECT_THAT(query({path("stranger.png")}).out, HasSubstr("nothing found"));
}

TEST_F(QueryTest, ARegionWithoutAPhotoIsAUsageError) {
  const ProgramResult result = query({"--region", "0,0,50,50", "--id", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--region applies to photos"));
}

TEST_F(QueryTest, WhatDoesNotLookAlikeIsListedOnDemand) {
  EXPECT_THAT(query({path("stranger.png")}).out, HasSubstr("nothing found"));
  const ProgramResult all = query({"--all", "--json", path("stranger.png")});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const json answer = json::parse(all.out);
  ASSERT_FALSE(answer["matches"].empty());
  for (const json& match : answer["matches"]) EXPECT_EQ(match["decision"], "none");
  EXPECT_THAT(query({"--all", path("stranger.png")}).out, HasSubstr("nothing sure found"));
}

TEST_F(QueryTest, ManyPhotosAreAnsweredInTheirOrderAsEachIsAlone) {
  std::vector<std::string> words = {"--all", "--mirror"};
  std::string expected;
  std::map<std::string, std::string> alone;  // by the name of the photo
  for (int i = 0; i < 2 * kPosters; ++i) {
    const std::string name = i % 5 == 2   ? path("broken.png")
                             : i % 5 == 4 ? path("scene.png")
                                          : path("posters/" + std::to_string(i % 4) + ".png");
    words.push_back(name);
    if (!alone.contains(name)) alone[name] = query({"--all", "--mirror", name}).out;
    expected += alone[name];
  }
  const ProgramResult all = query(words);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(all.out, expected);
}

TEST_F(QueryTest, AnswersEachPhotoOnItsOwnLineAndPassesOverBrokenOnes) {
  const ProgramResult result =
      query({"--json", path("scene.png"), path("broken.png"), path("stranger.png")});
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<json> answers = lines_of(result.out);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["matches"].size(), 1U);
  EXPECT_EQ(answers[1]["query"], path("broken.png"));
  EXPECT_EQ(answers[1]["error"]["kind"], "input");
  EXPECT_EQ(answers[1]["error"]["reason"], "undecodable");
  EXPECT_THAT(answers[1]["error"]["message"].get<std::string>(), HasSubstr("not an image"));
  EXPECT_EQ(answers[2]["query"], path("stranger.png"));
  EXPECT_THAT(result.err, HasSubstr("broken.png: undecodable"));
}

TEST_F(QueryTest, NoPhotoThatCanBeReadIsAnInputError) {
  const ProgramResult result = query({"--json", path("broken.png"), path("gone.png")});
  EXPECT_EQ(result.exit_code, 3);
  ASSERT_EQ(lines_of(result.out).size(), 2U);
  for (const json& answer : lines_of(result.out)) EXPECT_TRUE(answer.contains("error")) << answer;
}

TEST_F(QueryTest, WhatIsWrongWithOneItemDoesNotEndTheOthers) {
  const ProgramResult by_number = query({"--json", "--id", "1", "--id", "9999", "--id", "2"});
  EXPECT_EQ(by_number.exit_code, 1);
  const std::vector<json> answers = lines_of(by_number.out);
  ASSERT_EQ(answers.size(), 3U) << by_number.out;
  EXPECT_TRUE(answers[0].contains("matches"));
  EXPECT_EQ(answers[1]["query"], "9999");
  EXPECT_EQ(answers[1]["error"]["message"], "is not in the index");
  EXPECT_TRUE(answers[2].contains("matches"));

  const ProgramResult regions =
      query({"--json", "--region", "400,0,100,100", path("posters/1.png"), path("scene.png")});
  EXPECT_EQ(regions.exit_code, 1);
  ASSERT_EQ(lines_of(regions.out).size(), 2U) << regions.out;
  EXPECT_TRUE(lines_of(regions.out)[0].contains("error"));
  EXPECT_TRUE(lines_of(regions.out)[1].contains("matches"));
}

TEST_F(QueryTest, TheReportShowsEachPhoto) {
  ASSERT_EQ(query({"--report", path("r.html"), path("scene.png"), path("stranger.png")}).exit_code,
            0);
  const std::string html = content_of(path("r.html"));
  const auto items = data_in(html, "item");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1]["headline"], "1 shows it");
  const json& match = items[1]["matches"].at(0);
  EXPECT_EQ(match["quad"].size(), 4U);
  EXPECT_EQ(match["pairs"].size(), match["inliers"]);
  EXPECT_EQ(items[2]["headline"], "nothing found");
  const json pictures = data_in(html, "pictures").at(0);
  EXPECT_TRUE(pictures.at("photo " + path("scene.png")).contains("url"));
  EXPECT_TRUE(pictures.at(match["id"].dump()).contains("url"));
}

TEST_F(QueryTest, TheReportSaysOfAnIndexedImageThatItIsNoFileAnyMore) {
  std::filesystem::rename(path("posters/3.png"), path("kept.png"));
  ASSERT_EQ(::mkfifo(path("posters/3.png").c_str(), 0600), 0);
  const ProgramResult result = query({"--report", path("fifo.html"), path("scene.png")});
  std::filesystem::rename(path("kept.png"), path("posters/3.png"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = content_of(path("fifo.html"));
  const json match = data_in(html, "item").at(1)["matches"].at(0);
  EXPECT_EQ(data_in(html, "pictures").at(0)[match["id"].dump()]["missing"],
            "unreadable: not a regular file");
}

TEST_F(QueryTest, ShowTellsWhatTheIndexHolds) {
  const ProgramResult result =
      run_program("lookalike", {"show", "--database", path("index.db"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json shown = json::parse(result.out);
  EXPECT_EQ(shown["images"], kPosters);
  EXPECT_EQ(shown["quarantined"], 0);
  EXPECT_GT(shown["words"], 0);
  EXPECT_EQ(shown["settings"]["extract.hessian_threshold"], "10");
  EXPECT_FALSE(shown.contains("content_hash"));
  const ProgramResult with_hash = run_program(
      "lookalike", {"show", "--database", path("index.db"), "--json", "--content-hash"});
  ASSERT_EQ(with_hash.exit_code, 0) << with_hash.err;
  EXPECT_THAT(json::parse(with_hash.out)["content_hash"].get<std::string>(), Not(IsEmpty()));
}

TEST_F(QueryTest, ShowTellsTheHistogramOfAnImage) {
  const ProgramResult result = run_program(
      "lookalike", {"show", "--database", path("index.db"), path("posters/3.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json shown = json::parse(result.out);
  EXPECT_EQ(shown["width"], 300);
  EXPECT_EQ(shown["height"], 400);
  std::int64_t counted = 0;
  for (const auto& entry : shown["histogram"]) counted += entry.at(1).get<std::int64_t>();
  EXPECT_EQ(counted, shown["features"]);
  EXPECT_GT(shown["variance"], 100);
}

TEST_F(QueryTest, ShowOfAnImageThatIsNotInTheIndexIsAnInputError) {
  const ProgramResult result =
      run_program("lookalike", {"show", "--database", path("index.db"), path("scene.png")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("is not in the index"));
}

TEST_F(QueryTest, ADeviceThatIsNotThereIsADeviceError) {
  EXPECT_EQ(query({"--device", "::no-such-device", path("scene.png")}).exit_code, 4);
}

TEST_F(QueryTest, AMirroredPosterIsFoundWithTheMirror) {
  cv::Mat mirror;
  cv::flip(poster(3), mirror, 1);
  draw("mirrored.png", mirror);
  const json plain = json::parse(query({"--json", path("mirrored.png")}).out);
  EXPECT_THAT(plain["matches"].dump(), Not(HasSubstr("same_object")));
  const ProgramResult result = query({"--json", "--mirror", path("mirrored.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json best = json::parse(result.out)["matches"].at(0);
  EXPECT_EQ(best["path"], path("posters/3.png"));
  EXPECT_EQ(best["mirrored"], true);
  EXPECT_EQ(best["decision"], "duplicate");
  EXPECT_LT(largest_corner_error(best["quad"], {{{300, 0}, {0, 0}, {0, 400}, {300, 400}}}), 2);
  EXPECT_THAT(query({"--mirror", path("mirrored.png")}).out,
              HasSubstr("posters/3.png  (mirrored)\n"));
}

TEST_F(QueryTest, ARegionIsLookedUpAloneAndAnsweredInThePhoto) {
  cv::Mat two;
  cv::hconcat(poster(3), poster(4), two);
  draw("two.png", two);
  EXPECT_EQ(json::parse(query({"--json", path("two.png")}).out)["matches"].size(), 2U);
  const ProgramResult result = query({"--json", "--region", "300,0,300,400", path("two.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json matches = json::parse(result.out)["matches"];
  ASSERT_EQ(matches.size(), 1U) << matches;
  EXPECT_EQ(matches[0]["path"], path("posters/4.png"));
  EXPECT_LT(
      largest_corner_error(matches[0]["quad"], {{{300, 0}, {600, 0}, {600, 400}, {300, 400}}}), 1);
}

TEST_F(QueryTest, ARegionThatIsNoneOrLeavesThePhotoIsRefused) {
  const ProgramResult wrong = query({"--region", "1,2,3", path("scene.png")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("X,Y,WIDTH,HEIGHT"));
  const ProgramResult outside = query({"--region", "600,0,100,100", path("scene.png")});
  EXPECT_EQ(outside.exit_code, 3);
  EXPECT_THAT(outside.err, HasSubstr("which is 640 x 600 px"));
}

TEST_F(QueryTest, AnIndexedImageIsLookedUpByPathAndByNumber) {
  const ProgramResult by_path = query({"--json", "--all", "--id", path("posters/3.png")});
  ASSERT_EQ(by_path.exit_code, 0) << by_path.err;
  const json answer = json::parse(by_path.out);
  EXPECT_EQ(answer["query"], path("posters/3.png"));
  ASSERT_FALSE(answer["matches"].empty());
  EXPECT_THAT(answer["matches"].dump(), Not(HasSubstr("posters/3.png")));
  const json shown = json::parse(run_program("lookalike", {"show", "--database", path("index.db"),
                                                           path("posters/3.png"), "--json"})
                                     .out);
  const std::string number = std::to_string(shown["id"].get<int>());
  const json by_number = json::parse(query({"--json", "--all", "--id", number}).out);
  EXPECT_EQ(by_number["query"], number);
  EXPECT_EQ(by_number["matches"], answer["matches"]);
  EXPECT_EQ(query({"--id", "4000"}).exit_code, 3);
  EXPECT_EQ(query({"--id", path("scene.png")}).exit_code, 3);
}

TEST_F(QueryTest, AnIndexedImageIsReadFromItsFirstFileThatExists) {
  std::filesystem::create_directory(folder_->path() / "copies");
  for (const char* const name : {"copies/a.png", "copies/b.png"}) draw(name, poster(3));
  const std::vector<std::string> index = {"-d", path("copies.db")};
  ASSERT_EQ(run_program("lookalike", {"index", "-q", path("copies"), index[0], index[1]}).exit_code,
            0);
  std::filesystem::remove(path("copies/a.png"));
  const ProgramResult looked_up = run_program(
      "lookalike", {"query", index[0], index[1], "--id", "1", "--report", path("by_id.html")});
  ASSERT_EQ(looked_up.exit_code, 0) << looked_up.err;
  const std::string page = content_of(path("by_id.html"));
  EXPECT_EQ(data_in(page, "item").at(1)["query"], "1");
  EXPECT_TRUE(data_in(page, "pictures").at(0)["photo 1"].contains("url"));
  const ProgramResult located = run_program("lookalike", {"locate", index[0], index[1], "--id", "1",
                                                          "--scene", path("scene.png"), "--json"});
  ASSERT_EQ(located.exit_code, 0) << located.err;
  EXPECT_EQ(json::parse(located.out)["hits"].at(0)["object"], path("copies/b.png"));
}

TEST_F(QueryTest, NothingToLookUpIsAUsageError) {
  EXPECT_EQ(query({}).exit_code, 2);
  EXPECT_EQ(query({"--mirror", "--id", "1"}).exit_code, 2);
}

TEST_F(QueryTest, LocateOfAnExactCropHasTheExactQuad) {
  const cv::Rect place(37, 121, 180, 150);
  draw("crop.png", poster(5)(place));
  const ProgramResult result = run_program(
      "lookalike",
      {"locate", "--object", path("crop.png"), "--scene", path("posters/5.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer["hits"].size(), 1U) << answer;
  EXPECT_EQ(answer["scene"], path("posters/5.png"));
  EXPECT_EQ(answer["hits"][0]["object"], path("crop.png"));
  EXPECT_EQ(answer["hits"][0]["quad"], json({{37, 121}, {217, 121}, {217, 271}, {37, 271}}));
  EXPECT_GE(answer["hits"][0]["correlation"], 0.9999);
}

TEST_F(QueryTest, LocateTakesAnObjectFromTheIndex) {
  const ProgramResult result =
      run_program("lookalike", {"locate", "--database", path("index.db"), "--id",
                                path("posters/3.png"), "--scene", path("scene.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer["hits"].size(), 1U) << answer;
  EXPECT_EQ(answer["hits"][0]["object"], path("posters/3.png"));
  EXPECT_LT(largest_corner_error(answer["hits"][0]["quad"], kPlace), 3) << answer;
  const ProgramResult unknown = run_program(
      "lookalike",
      {"locate", "--database", path("index.db"), "--id", "999", "--scene", path("scene.png")});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("999: is not in the index"));
}

TEST_F(QueryTest, LocateOfWhatIsNotThereFindsNothing) {
  const ProgramResult result = run_program(
      "lookalike",
      {"locate", "--object", path("posters/1.png"), "--scene", path("stranger.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(json::parse(result.out).at("hits"), IsEmpty());
  EXPECT_EQ(json::parse(result.out).at("not_found").size(), 1U);
}

TEST_F(QueryTest, AFolderStandsForItsPhotos) {
  std::filesystem::create_directories(path("two/deep"));
  draw("two/a.png", poster(1));
  draw("two/deep/b.png", poster(2));
  draw("two/.hidden.png", poster(4));
  draw("two/left-out.png", poster(5));
  const ProgramResult result = query({"--json", "--exclude", "left-*", path("two")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<json> answers = lines_of(result.out);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["query"], path("two/a.png"));
  EXPECT_EQ(answers[1]["query"], path("two/deep/b.png"));
  std::filesystem::create_directories(path("none"));
  const ProgramResult none = query({"--json", path("none"), path("two/a.png")});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(lines_of(none.out).at(0)["error"]["message"], "contains no images");
}

TEST_F(QueryTest, NamesMayComeFromAFile) {
  const std::string lines =
      folder_->write("names.txt", path("posters/1.png") + "\n\n" + path("posters/2.png") + "\n");
  const std::string ended =
      folder_->write("names.nul", path("posters/1.png") + '\0' + path("posters/2.png") + '\0');
  const ProgramResult by_lines = query({"--format", "paths", "--files-from", lines});
  ASSERT_EQ(by_lines.exit_code, 0) << by_lines.err;
  EXPECT_EQ(by_lines.out, path("posters/1.png") + "\n" + path("posters/2.png") + "\n");
  EXPECT_EQ(query({"--format", "paths", "-0", "--files-from", ended}).out,
            path("posters/1.png") + '\0' + path("posters/2.png") + '\0');
  EXPECT_EQ(query({"--files-from", path("no.txt")}).exit_code, 3);
  const ProgramResult folder = query({"--files-from", path("posters")});
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_THAT(folder.err, HasSubstr("posters: cannot be read: Is a directory"));
  EXPECT_EQ(query({"--files-from", "-", "-"}).exit_code, 2);
}

TEST_F(QueryTest, NulNeedsPathsOrNames) {
  const ProgramResult refused = query({"-0", path("posters/1.png")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("-0 applies to --format paths and --files-from"));
}

TEST_F(QueryTest, CutsPlacesOutAndReplacesNothing) {
  const std::vector<std::string> words = {"-q", "--cut", path("cut"), path("scene.png"),
                                          path("stranger.png")};
  ASSERT_EQ(query(words).exit_code, 0);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("cut"))) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, testing::ElementsAre("scene-place-1.png"));
  cv::Mat cut = cv::imread(path("cut/scene-place-1.png"));
  EXPECT_NEAR(cut.cols / static_cast<double>(cut.rows), 300.0 / 400, 0.01);
  EXPECT_NEAR(std::sqrt(cut.total()), std::sqrt(std::abs(signed_area(kPlace))), 2);
  cv::Mat expected = poster(3);
  cv::resize(expected, expected, cut.size(), 0, 0, cv::INTER_AREA);
  if (expected.channels() == 1) cv::cvtColor(expected, expected, cv::COLOR_GRAY2BGR);
  EXPECT_LT(cv::norm(cut, expected, cv::NORM_L1) / static_cast<double>(3 * cut.total()), 24)
      << "the scene is darker";

  EXPECT_EQ(query(words).exit_code, 0) << "the same cut-out is there already";
  folder_->write("cut/scene-place-1.png", "another file");
  const ProgramResult refused = query(words);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(content_of(path("cut/scene-place-1.png")), "another file");
  EXPECT_EQ(query({"-q", "--cut", path("scene.png"), path("scene.png")}).exit_code, 2);
}

TEST_F(QueryTest, HintsAtAMirroredPhoto) {
  cv::Mat flipped;
  cv::flip(poster(3), flipped, 1);
  draw("flipped.png", flipped);
  EXPECT_THAT(query({path("posters/3.png")}).out, Not(HasSubstr("--mirror")));
  EXPECT_THAT(query({path("stranger.png")}).out, Not(HasSubstr("--mirror")));
  EXPECT_THAT(query({"--mirror", path("flipped.png")}).out, Not(HasSubstr("try --mirror")));
}

TEST_F(QueryTest, TablesHaveARowPerMatchAndPerPhotoThatFailed) {
  const ProgramResult result =
      query({"--format", "tsv", path("posters/1.png"), path("stranger.png"), path("no.png")});
  EXPECT_EQ(result.exit_code, 1);
  const std::string poster_row = path("posters/1.png") + "\t1\t1\tduplicate\t1.0000\t";
  EXPECT_THAT(result.out, testing::StartsWith("query\trank\tplace\tdecision\tprobability\tinliers\t"
                                              "correlation\tmirrored\tpath\terror\tgone\n" +
                                              poster_row));
  EXPECT_THAT(result.out,
              testing::EndsWith("\n" + path("no.png") + "\t\t\t\t\t\t\t\t\tno such file\t\n"));
  EXPECT_EQ(result.err, "error: " + path("no.png") + ": no such file\n");
}

TEST_F(QueryTest, PathsWithATabAreUrisInEveryPathColumn) {
  draw("tab\t.png", draw_stranger(5, {500, 400}));
  const std::string uri = "file://" + path("tab%09.png");
  const ProgramResult located =
      run_program("lookalike", {"locate", "--format", "tsv", "--object", path("posters/3.png"),
                                path("tab\t.png"), "--scene", path("tab\t.png")});
  EXPECT_THAT(located.out, HasSubstr('\n' + uri + '\t' + uri + '\t'));
}

TEST_F(QueryTest, FailIfNoneIsForScripts) {
  EXPECT_EQ(query({"--fail-if-none", path("stranger.png")}).exit_code, 6);
  EXPECT_EQ(query({"--fail-if-none", "--all", path("stranger.png")}).exit_code, 6);
  EXPECT_EQ(query({path("stranger.png")}).exit_code, 0);
  EXPECT_EQ(query({"--fail-if-none", path("stranger.png"), path("scene.png")}).exit_code, 0);
  EXPECT_EQ(query({"--fail-if-none", path("stranger.png"), path("no.png")}).exit_code, 1);
}

TEST_F(QueryTest, WhatIsOnlySimilarIsListedAndNotFound) {
  const std::vector<std::string> doubting = {"--set", "match.same_probability=1",
                                             path("scene.png")};
  const auto doubt = [&](std::vector<std::string> words) {
    words.insert(words.end(), doubting.begin(), doubting.end());
    return query(words);
  };
  const json answer = json::parse(doubt({"--json"}).out);
  ASSERT_EQ(answer["matches"].at(0)["decision"], "similar") << answer;
  EXPECT_EQ(answer["found"], 0);
  EXPECT_EQ(answer["total"], answer["matches"].size());
  EXPECT_THAT(doubt({}).out, HasSubstr("nothing sure found"));
  const ProgramResult paths = doubt({"--fail-if-none", "--format", "paths"});
  EXPECT_EQ(paths.exit_code, 6);
  EXPECT_EQ(paths.out, path("posters/3.png") + "\n");
}

TEST_F(QueryTest, EveryPageOfAFileIsLookedUp) {
  std::filesystem::create_directories(path("pages"));
  cv::imwritemulti(path("pages/scan.tif"), std::vector<cv::Mat>{poster(1), poster(6)});
  for (const std::string& name : {path("pages"), path("pages/scan.tif")}) {
    const ProgramResult result = query({"--json", "--report", path("pages.html"), name});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::vector<json> answers = lines_of(result.out);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0]["query"], path("pages/scan.tif"));
    EXPECT_EQ(answers[0]["matches"].at(0)["path"], path("posters/1.png"));
    EXPECT_EQ(answers[1]["query"], path("pages/scan.tif[2]"));
    EXPECT_EQ(answers[1]["matches"].at(0)["path"], path("posters/6.png"));
    const auto pictures = data_in(content_of(path("pages.html")), "pictures");
    EXPECT_TRUE(pictures.at(1)["photo " + path("pages/scan.tif[2]")].contains("url"));
  }
  for (const char* page : {"[1]", "[2]"}) {
    EXPECT_EQ(lines_of(query({"--json", path("pages/scan.tif") + page}).out).size(), 1U) << page;
  }
}

TEST_F(QueryTest, ARegionOutsideThePhotoNamesThePhotoOnce) {
  const ProgramResult result = query({"--region", "5000,0,50,50", path("scene.png")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err.find(path("scene.png")), result.err.rfind(path("scene.png"))) << result.err;
}

TEST_F(QueryTest, AReportMayGoToStandardOutput) {
  const ProgramResult result = query({"--report", "-", path("scene.png")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("<!DOCTYPE html>"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(QueryTest, MatchesBelowAProbabilityAreNotFound) {
  const json all = json::parse(query({"--json", "--all", path("scene.png")}).out);
  const json sure =
      json::parse(query({"--json", "--all", "--min-probability", "0.5", path("scene.png")}).out);
  EXPECT_GT(all["total"], sure["total"]);
  EXPECT_EQ(sure["total"], 1);
  EXPECT_EQ(all["found"], 1);
  EXPECT_EQ(sure["found"], 1);
  EXPECT_EQ(query({"--min-probability", "2", path("scene.png")}).exit_code, 2);
}

TEST_F(QueryTest, ColourIsForTerminalsUnlessItIsForced) {
  const std::vector<std::string> words = {"query", "-d", path("index.db"), path("posters/1.png")};
  EXPECT_THAT(run_program("lookalike", words).out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run_program("lookalike", words, {"CLICOLOR_FORCE=1"}).out, HasSubstr("\033[32m"));
  EXPECT_THAT(run_program("lookalike", words, {"CLICOLOR_FORCE=1", "NO_COLOR=1"}).out,
              Not(HasSubstr("\033[")));
}

TEST_F(QueryTest, ListHasEveryFileWithItsImage) {
  const auto list = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"list", "-d", path("index.db")});
    return run_program("lookalike", words);
  };
  const std::vector<json> files = lines_of(list({"--json"}).out);
  ASSERT_EQ(files.size(), static_cast<std::size_t>(kPosters));
  EXPECT_EQ(files[0]["path"], path("posters/0.png"));
  EXPECT_EQ(files[0]["state"], "indexed");
  EXPECT_GT(files[0]["features"], 0);
  EXPECT_EQ(files[0]["size_bytes"], std::filesystem::file_size(path("posters/0.png")));
  EXPECT_EQ(list({"--format", "paths", path("posters/3.png")}).out, path("posters/3.png") + "\n");
  EXPECT_THAT(list({"--state", "blank"}).out, IsEmpty());
  EXPECT_EQ(list({"--state", "blnk"}).exit_code, 2);
  const ProgramResult unknown = list({path("nofolder"), path("posters"), path("posters/3.png")});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.err, "error: " + path("nofolder") + ": is not in the index\n");
  EXPECT_EQ(list({path("nofolder")}).exit_code, 3);
}

}  // namespace
}  // namespace lookalike
