#include "tools/evaluate/suite_report.h"

#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::Not;

VariantKind kind(const std::string& name, const std::string& unit, std::vector<double> strengths) {
  return {name, unit, std::move(strengths), nullptr};
}

// Two photos, two kinds; at the first kind's second strength one photo is found first.
SuiteResult sample() {
  SuiteResult result;
  result.kinds = {kind("crop", "% of the area", {90, 25}), kind("mirror", "axis", {1})};
  result.photos = 2;
  result.left_out = {{"/photos/<blank>.png", "is blank"}};
  result.answers = {{"/photos/a.png", 0, 0, 1, 0.9, "/photos/a.png", true},
                    {"/photos/a.png", 0, 1, 1, 0.8, "/photos/a.png", false},
                    {"/photos/a.png", 1, 0, 0, 0, "", false},
                    {"/photos/\"b\",c.png", 0, 0, 1, 0.7, "/photos/\"b\",c.png", false},
                    {"/photos/\"b\",c.png", 0, 1, 2, 0.9, "/photos/a.png", false},
                    {"/photos/\"b\",c.png", 1, 0, 0, 0, "", false}};
  return result;
}

TEST(SuiteTable, HasALineForEachKindAndStrength) {
  const std::string table = suite_table(sample());
  EXPECT_THAT(table, HasSubstr("2 photos, 1 left out\n"));
  EXPECT_TRUE(
      std::regex_search(table, std::regex("crop +90 % of the area +1.000 +0.500 +0.500\n")));
  EXPECT_TRUE(
      std::regex_search(table, std::regex("crop +25 % of the area +0.500 +0.000 +1.000\n")));
  EXPECT_TRUE(std::regex_search(table, std::regex("mirror +1 axis +0.000 +0.000 +0.000\n")));
}

TEST(SuiteJson, SaysTheSameToPrograms) {
  const auto json = suite_json(sample());
  EXPECT_EQ(json["photos"], 2);
  EXPECT_EQ(json["left_out"][0]["why"], "is blank");
  ASSERT_EQ(json["results"].size(), 3U);
  EXPECT_EQ(json["results"][1]["kind"], "crop");
  EXPECT_EQ(json["results"][1]["strength"], 25);
  EXPECT_EQ(json["results"][1]["queries"], 2);
  EXPECT_EQ(json["results"][1]["recall_at_1"], 0.5);
  EXPECT_EQ(json["results"][0]["recall_at_1_confirmed"], 0.5);
  EXPECT_EQ(json["results"][0]["located_at_iou_75"], 0.5);
}

TEST(SuiteAnswersCsv, QuotesNames) {
  const std::string csv = suite_answers_csv(sample());
  EXPECT_TRUE(suite_answers_kind().is_earlier(csv));
  EXPECT_THAT(csv, HasSubstr("photo,kind,strength,rank,iou,first\n"));
  EXPECT_THAT(csv, HasSubstr("\"/photos/\"\"b\"\",c.png\",crop,25,2,0.9000,\"/photos/a.png\"\n"));
  EXPECT_THAT(csv, HasSubstr("\"/photos/a.png\",mirror,1,0,0.0000,\"\"\n"));
}

TEST(SuitePage, DrawsAChartForEachKind) {
  const std::string html = suite_page(sample(), {{"seed", "1"}});
  // Strengths are evenly spread over 34 to 320; a share of 1 lies at 8, of 0.5 at 68.
  EXPECT_THAT(html, HasSubstr("<polyline class=\"first\" points=\"105.5,8.0 248.5,68.0 \"/>"));
  EXPECT_THAT(html, HasSubstr("<polyline class=\"place\" points=\"105.5,68.0 248.5,8.0 \"/>"));
  EXPECT_THAT(html, HasSubstr("<h2>mirror <span>axis</span></h2>"));
  EXPECT_THAT(html, HasSubstr("seed <b>1</b>"));
  EXPECT_THAT(html, HasSubstr("1 file left out"));
}

TEST(SuitePage, NeedsNothingFromElsewhereAndEscapesNames) {
  const std::string html = suite_page(sample(), {{"device", "<script>"}});
  EXPECT_THAT(html, HasSubstr("&lt;blank&gt;"));
  EXPECT_THAT(html, HasSubstr("device <b>&lt;script&gt;</b>"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!#)")));
}

}  // namespace
}  // namespace lookalike
