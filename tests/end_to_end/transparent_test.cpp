// Drawings on a transparent ground, indexed and found in photos.

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/stages/cutouts.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

constexpr int kCutouts = 12;  // too few for a calibration
constexpr int kStencils = 6;
const cv::Size kPhotoSize = {520, 400};

// An index of drawings, shared by the tests.
class TransparentImages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "drawings");
    for (int i = 0; i < kCutouts; ++i) cv::imwrite(cutout_path(i), cutout(i));
    for (int i = 0; i < kStencils; ++i) cv::imwrite(stencil_path(i), stencil(i));
    indexed_ = run_program("lookalike",
                           {"index", "--images", path("drawings"), "--database", path("index.db")});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static std::string cutout_path(int i) { return path("drawings/" + std::to_string(i) + ".png"); }
  static std::string stencil_path(int i) {
    return path("drawings/stencil" + std::to_string(i) + ".png");
  }
  static cv::Mat cutout(int i) {
    return draw_cutout(static_cast<unsigned>(i), static_cast<Tones>(i % 3));
  }
  static cv::Mat stencil(int i) {
    return draw_stencil(static_cast<unsigned>(i), cv::Scalar::all(i % 2 == 0 ? 0 : 255));
  }

  // Looks up the photos and expects each one's drawing first.
  static void expect_found(const std::vector<cv::Mat>& photos,
                           const std::vector<std::string>& drawings) {
    std::vector<std::string> arguments = {"query", "--json", "--database", path("index.db")};
    for (const cv::Mat& photo : photos) {
      arguments.push_back(path("photo" + std::to_string(arguments.size()) + ".jpg"));
      cv::imwrite(arguments.back(), photo);
    }
    const ProgramResult result = run_program("lookalike", arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::istringstream lines(result.out);
    std::string line;
    for (const std::string& drawing : drawings) {
      ASSERT_TRUE(std::getline(lines, line));
      const json answer = json::parse(line);
      ASSERT_FALSE(answer["matches"].empty()) << answer;
      const json& best = answer["matches"][0];
      EXPECT_EQ(best["path"], drawing) << answer;
      EXPECT_THAT(best["decision"], AnyOf("duplicate", "same_object", "part")) << answer;
    }
  }
  // All cut-outs, each on its own drawn ground.
  template <typename Ground>
  static void expect_found_on(Ground ground) {
    std::vector<cv::Mat> photos;
    std::vector<std::string> drawings;
    for (int i = 0; i < kCutouts; ++i) {
      const auto seed = static_cast<unsigned>(i);
      photos.push_back(photo_on(ground(seed), cutout(i), seed));
      drawings.push_back(cutout_path(i));
    }
    expect_found(photos, drawings);
  }
  static cv::Mat plain(int level) { return {kPhotoSize, CV_8UC3, cv::Scalar::all(level)}; }

  static std::unique_ptr<TemporaryFolder> folder_;
  static ProgramResult indexed_;
};
std::unique_ptr<TemporaryFolder> TransparentImages::folder_;
ProgramResult TransparentImages::indexed_;

TEST_F(TransparentImages, AreNotBlank) {
  EXPECT_EQ(indexed_.exit_code, 0) << indexed_.err;
  EXPECT_THAT(indexed_.err, HasSubstr("18 indexed, "));
}

TEST_F(TransparentImages, AreFoundOnWhite) {
  expect_found_on([](unsigned) { return plain(255); });
}

TEST_F(TransparentImages, AreFoundOnBlack) {
  expect_found_on([](unsigned) { return plain(0); });
}

TEST_F(TransparentImages, AreFoundOnATexture) {
  expect_found_on([](unsigned seed) {
    cv::Mat texture;
    cv::cvtColor(draw_picture(kPhotoSize.width, kPhotoSize.height, 1000 + seed), texture,
                 cv::COLOR_GRAY2BGR);
    return texture;
  });
}

TEST_F(TransparentImages, OfOneInkAreFoundWhereTheInkIsSeen) {
  std::vector<cv::Mat> photos;
  std::vector<std::string> drawings;
  for (int i = 0; i < kStencils; ++i) {
    const cv::Mat paper = plain(i % 2 == 0 ? 255 : 0);
    photos.push_back(photo_on(paper, stencil(i), static_cast<unsigned>(i)));
    drawings.push_back(stencil_path(i));
  }
  expect_found(photos, drawings);
}

TEST_F(TransparentImages, AreBlankWhenAllOfThemIsTransparent) {
  std::filesystem::create_directories(folder_->path() / "nothing");
  cv::Mat noise = cutout(0);
  cv::randu(noise, 0, 256);
  cv::Mat(noise.reshape(1, static_cast<int>(noise.total()))).col(3).setTo(0);
  cv::imwrite(path("nothing/a.png"), noise);
  const ProgramResult result = run_program(
      "lookalike", {"index", "--images", path("nothing"), "--database", path("index.db")});
  EXPECT_THAT(result.err, HasSubstr("1 indexed (1 of them blank)"));
}

TEST_F(TransparentImages, AreShownOverAGroundInReports) {
  cv::Mat first = cutout(1);
  cv::Mat second = first.clone();
  for (int i = 0; i < static_cast<int>(second.total()); ++i) {
    auto& pixel = second.at<cv::Vec4b>(i);
    if (pixel[3] == 0) pixel = {255, 9, 90, 0};
  }
  std::vector<std::string> pages;
  for (const cv::Mat& image : {first, second}) {
    cv::imwrite(path("photo.png"), image);
    const ProgramResult result =
        run_program("lookalike", {"query", "-q", "--database", path("index.db"), "--report",
                                  path("page.html"), path("photo.png")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string html = content_of(path("page.html"));
    const auto picture = html.find("data:image/jpeg");
    pages.push_back(html.substr(picture, html.find('"', picture) - picture));
  }
  EXPECT_GT(pages[0].size(), 1000U);
  EXPECT_EQ(pages[0], pages[1]) << "what lies under transparency is shown";
}

}  // namespace
}  // namespace lookalike
