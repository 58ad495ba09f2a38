// `lookalike locate` on drawn pictures.

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/report_data.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// An arrow on an even ground, with hardly any features.
cv::Mat arrow() {
  cv::Mat image(48, 48, CV_8U, cv::Scalar(190));
  cv::arrowedLine(image, {6, 24}, {42, 24}, cv::Scalar(80), 5, cv::LINE_8, 0, 0.5);
  cv::GaussianBlur(image, image, {5, 5}, 0);
  return image;
}

class LocateCommand : public testing::Test {
 protected:
  LocateCommand() {
    cv::Mat scene(200, 300, CV_8U, cv::Scalar(190));
    arrow().copyTo(scene(cv::Rect(30, 40, 48, 48)));
    cv::Mat turned;
    cv::rotate(arrow(), turned, cv::ROTATE_90_CLOCKWISE);
    turned.copyTo(scene(cv::Rect(200, 110, 48, 48)));
    draw("scene.png", scene);
    draw("arrow.png", arrow());
    draw("flat.png", cv::Mat(48, 48, CV_8U, cv::Scalar(99)));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).native(); }
  void draw(const std::string& name, const cv::Mat& image) const { cv::imwrite(path(name), image); }
  ProgramResult locate(std::vector<std::string> words) const {
    words.insert(words.begin(), "locate");
    return run_program("lookalike", words);
  }
  std::string content(const std::string& name) const { return content_of(path(name)); }
  TemporaryFolder folder_;
};

TEST_F(LocateCommand, EveryArrowIsFoundByCorrelation) {
  const ProgramResult result =
      locate({"--object", path("arrow.png"), "--scene", path("scene.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_THAT(answer["hits"], SizeIs(2)) << answer;
  for (const json& hit : answer["hits"]) {
    EXPECT_EQ(hit["method"], "correlation");
    EXPECT_GE(hit["correlation"], 0.99);
    EXPECT_LT(hit["position_error_px"], 0.1);
    const bool turned = hit["centre"][0] > 150;
    EXPECT_NEAR(hit["centre"][0], turned ? 224 : 54, 0.2);
    EXPECT_NEAR(hit["centre"][1], turned ? 134 : 64, 0.2);
    EXPECT_NEAR(hit["angle_degrees"], turned ? 90 : 0, 0.3);
  }
}

TEST_F(LocateCommand, AnObjectThatIsNowhereIsAFailureOnRequest) {
  const std::vector<std::string> both = {"--object", path("arrow.png"), path("flat.png"), "--scene",
                                         path("scene.png")};
  EXPECT_EQ(locate(both).exit_code, 0);
  std::vector<std::string> strict = both;
  strict.emplace_back("--fail-if-none");
  EXPECT_EQ(locate(strict).exit_code, 6);
  EXPECT_EQ(locate({"--object", path("arrow.png"), "--scene", path("scene.png"), "--fail-if-none"})
                .exit_code,
            0);
  EXPECT_EQ(locate({"--object", path("arrow.png"), "--scene", path("scene.png"), "--fail-if-none",
                    "--min-scale", "1.3"})
                .exit_code,
            6);
}

TEST_F(LocateCommand, EachSceneHasItsLineAndEachObjectItsAnswer) {
  const ProgramResult result = locate({"--object", path("arrow.png"), path("flat.png"), "--scene",
                                       path("scene.png"), path("flat.png"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  const json first = json::parse(line);
  EXPECT_EQ(first["scene"], path("scene.png"));
  ASSERT_THAT(first["not_found"], SizeIs(1));
  EXPECT_EQ(first["not_found"][0]["object"], path("flat.png"));
  EXPECT_THAT(first["not_found"][0]["reason"], HasSubstr("the object is flat"));
  std::getline(lines, line);
  const json second = json::parse(line);
  EXPECT_EQ(second["scene"], path("flat.png"));
  ASSERT_THAT(second["not_found"], SizeIs(2));
  EXPECT_THAT(second["not_found"][0]["reason"], HasSubstr("the scene is flat"));
}

TEST_F(LocateCommand, ASceneThatCannotBeReadDoesNotStopTheOthers) {
  const ProgramResult result =
      locate({"--object", path("arrow.png"), "--scene", path("no.png"), path("scene.png"),
              "--method", "correlation", "--report", path("found.html")});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no.png"));
  EXPECT_THAT(result.out, HasSubstr("   1  correlation  x "));
  EXPECT_TRUE(std::filesystem::exists(path("found.html")));
  EXPECT_EQ(locate({"--object", path("arrow.png"), "--scene", path("no.png")}).exit_code, 3);
  EXPECT_EQ(locate({"--object", path("no.png"), "--scene", path("scene.png")}).exit_code, 3);
}

TEST_F(LocateCommand, TheMapOfAFlatObjectIsBlack) {
  const ProgramResult result = locate({"--object", path("flat.png"), "--scene", path("scene.png"),
                                       "--method", "correlation", "--map", path("map.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("the object is flat"));
  const cv::Mat map = cv::imread(path("map.png"), cv::IMREAD_GRAYSCALE);
  ASSERT_FALSE(map.empty());
  EXPECT_EQ(cv::countNonZero(map), 0);
}

TEST_F(LocateCommand, TheMapIsBrightWhereTheArrowIs) {
  const ProgramResult result = locate(
      {"--object", path("arrow.png"), "--scene", path("scene.png"), "--map", path("map.png")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("   1  correlation  x "));
  const cv::Mat map = cv::imread(path("map.png"), cv::IMREAD_GRAYSCALE);
  ASSERT_FALSE(map.empty());
  double highest = 0;
  cv::minMaxLoc(map, nullptr, &highest);
  EXPECT_GT(highest, 230);
  const std::string data("Software\0lookalike", 18);
  EXPECT_THAT(content("map.png"), HasSubstr(text(png_chunk("tEXt", {data.begin(), data.end()}))));
}

TEST_F(LocateCommand, AMapReplacesAnEarlierMapAndNoOtherPng) {
  const auto map_to = [&](const std::string& name) {
    return locate({"--object", path("flat.png"), "--scene", path("scene.png"), "--method",
                   "correlation", "--map", path(name)});
  };
  ASSERT_EQ(map_to("map.png").exit_code, 0);
  EXPECT_EQ(map_to("map.png").exit_code, 0);
  const std::string map = content("map.png");
  draw("copied.png", cv::imread(path("map.png"), cv::IMREAD_GRAYSCALE));  // without the mark
  folder_.write("cut.png", map.substr(0, 50));                            // within it
  folder_.write("later.png", map.substr(0, 8) + "?" + map.substr(8));
  for (const std::string name : {"copied.png", "cut.png", "later.png", "arrow.png"}) {
    const std::string before = content(name);
    const ProgramResult result = map_to(name);
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("is an image, which no output replaces"));
    EXPECT_EQ(content(name), before) << name;
  }
}

TEST_F(LocateCommand, TheReportHasTheFactsOfEachPlace) {
  const ProgramResult result = locate({"--object", path("arrow.png"), "--scene", path("scene.png"),
                                       "--json", "--report", path("found.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = content("found.html");
  const auto items = data_in(html, "item");
  EXPECT_EQ(items.at(0)["facts"].at(0).at(1), path("arrow.png"));
  json answer = json::parse(result.out);
  ASSERT_THAT(answer["hits"], SizeIs(2));
  answer.erase("schema");
  for (json& hit : answer["hits"]) hit["inliers"] = 0;
  EXPECT_EQ(items.at(1), answer);
  const json pictures = data_in(html, "pictures").at(0);
  EXPECT_TRUE(pictures.at(path("arrow.png")).contains("url"));
  EXPECT_TRUE(pictures.at("photo " + path("scene.png")).contains("url"));
}

TEST_F(LocateCommand, TheReportSaysHowManyFeaturesAgree) {
  const cv::Mat scene = draw_picture(300, 240, 1);
  draw("busy.png", scene);
  draw("part.png", scene(cv::Rect(60, 50, 160, 140)));
  ASSERT_EQ(locate({"--object", path("part.png"), "--scene", path("busy.png"), "--report",
                    path("found.html")})
                .exit_code,
            0);
  const json hits = data_in(content("found.html"), "item").at(1)["hits"];
  ASSERT_THAT(hits, SizeIs(1));
  EXPECT_EQ(hits[0]["method"], "features");
  EXPECT_GT(hits[0]["inliers"], 0);
}

TEST_F(LocateCommand, WhatContradictsItselfIsAUsageError) {
  const std::vector<std::string> pair = {"--object", path("arrow.png"), "--scene",
                                         path("scene.png")};
  const auto refused = [&](std::vector<std::string> more, const std::string& reason) {
    more.insert(more.begin(), pair.begin(), pair.end());
    const ProgramResult result = locate(more);
    EXPECT_EQ(result.exit_code, 2) << reason;
    EXPECT_THAT(result.err, HasSubstr(reason));
  };
  refused({"--map", path("map.png"), "--object", path("flat.png")}, "--map is for one object");
  refused({"--mask", path("arrow.png"), "--object", path("flat.png")}, "--mask is for one object");
  refused({"--id", "3"}, "--database");
  refused({"--set", "locate.min_scale=3"}, "locate.min_scale: must not be above");
  EXPECT_EQ(locate({"--scene", path("scene.png")}).exit_code, 2);
}

}  // namespace
}  // namespace lookalike
