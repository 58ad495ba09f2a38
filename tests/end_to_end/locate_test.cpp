// `lookalike locate`, with the real program on pictures that are drawn here.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;

// An arrow on an even ground: next to no features.
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
  EXPECT_THAT(result.out, HasSubstr("by correlation"));
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
  EXPECT_THAT(result.out, HasSubstr("by correlation"));
  const cv::Mat map = cv::imread(path("map.png"), cv::IMREAD_GRAYSCALE);
  ASSERT_FALSE(map.empty());
  double highest = 0;
  cv::minMaxLoc(map, nullptr, &highest);
  EXPECT_GT(highest, 230);
  const std::string data("Software\0lookalike", 18);
  std::ifstream stream(path("map.png"), std::ios::binary);
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>(stream), {}}),
              HasSubstr(text(png_chunk("tEXt", {data.begin(), data.end()}))));
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
