// Covers that share a band, and a partly hidden cover.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::ContainsRegex;

constexpr int kCovers = 8;
constexpr int kBandPx = 140;  // of 700
const Quad kPartPlace = {{{120, 70}, {440, 98}, {404, 500}, {96, 520}}};

class Parts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(at("covers"));
    for (int i = 0; i < kCovers; ++i) {
      cv::imwrite(at("covers/" + std::to_string(i) + ".png"), cover(i));
    }
    const ProgramResult indexed = run_program(
        "lookalike", {"index", "-q", "--images", at("covers"), "--database", at("index.db")});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return folder_->path() / name; }

  static cv::Mat cover(int i) {
    cv::Mat drawn = draw_poster(static_cast<std::uint64_t>(100 + i), {500, 700});
    draw_poster(7, {500, 700})(cv::Rect(0, 100, 500, kBandPx))
        .copyTo(drawn(cv::Rect(0, 0, 500, kBandPx)));
    return drawn;
  }

  // The cover on a table.
  static std::string photo(const cv::Mat& shown, const std::string& name) {
    const Placement placement = {shown, kPartPlace};
    cv::imwrite(at(name), draw_scene(std::span(&placement, 1), {640, 600}, 1));
    return at(name);
  }

  static std::vector<json> matches(const std::string& photo) {
    const ProgramResult result =
        run_program("lookalike", {"query", "-q", "--json", "--database", at("index.db"), photo});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["matches"];
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Parts::folder_;

TEST_F(Parts, OtherCoversWithTheBandAreNotTheSameObject) {
  std::size_t parts = 0;
  for (int i = 0; i < kCovers; ++i) {
    const std::string name = at("covers/" + std::to_string(i) + ".png");
    const std::vector<json> found = matches(name);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0]["path"], name);
    EXPECT_EQ(found[0]["decision"], "duplicate");
    for (std::size_t m = 1; m < found.size(); ++m) {
      EXPECT_NE(found[m]["decision"], "same_object") << found[m];
      if (found[m]["decision"] != "part") continue;
      ++parts;
      for (const json& corner : found[m]["quad"]) EXPECT_LT(corner[1], kBandPx + 45) << found[m];
    }
  }
  EXPECT_GE(parts, static_cast<std::size_t>(kCovers));
}

TEST_F(Parts, AHalfCoveredCoverIsTheSameObject) {
  for (int i = 0; i < 3; ++i) {
    cv::Mat half = cover(i);
    draw_poster(static_cast<std::uint64_t>(300 + i), {500, 350})
        .copyTo(half(cv::Rect(0, 350, 500, 350)));
    const std::vector<json> found = matches(photo(half, "half.png"));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0]["path"], at("covers/" + std::to_string(i) + ".png"));
    EXPECT_EQ(found[0]["decision"], "same_object") << found[0];
  }
}

TEST_F(Parts, WhereOnlyAPartIsSharedTheHeadlineSaysSo) {
  cv::imwrite(at("unknown.png"), cover(kCovers));
  const ProgramResult result =
      run_program("lookalike", {"query", "-q", "--database", at("index.db"), at("unknown.png")});
  EXPECT_THAT(result.out, ContainsRegex("unknown\\.png: [0-9]+ shares? a part"));
}

TEST_F(Parts, ACropIsTheSameObject) {
  cv::imwrite(at("crop.png"), cover(1)(cv::Rect(0, 200, 500, 400)));
  EXPECT_EQ(matches(at("crop.png")).at(0)["decision"], "same_object");
}

}  // namespace
}  // namespace lookalike
