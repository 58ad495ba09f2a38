#include "tools/report/report.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"
#include "tests/fixtures/drawing.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string picture_in(const TemporaryFolder& folder, const std::string& name) {
  const std::string path = (folder.path() / name).native();
  cv::imwrite(path, draw_poster(1, {64, 48}));
  return path;
}

ReportFinding finding_in(const TemporaryFolder& folder, const std::string& name) {
  return {.image = picture_in(folder, name),
          .paths = {},
          .facts = {{"inliers", "42"}},
          .quad = Quad{{{1, 2}, {30, 2.25}, {30, 40}, {1, 40}}},
          .pairs = {{{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}}};
}

std::string rendered(const Report& report) {
  return render_report(report, {});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Report, OutlinesAndNumbersWhatWasFound) {
  const TemporaryFolder folder;
  const std::string html = rendered(
      {.title = "Found",
       .facts = {},
       .entries = {{.photo = picture_in(folder, "photo.png"),
                    .verdict = "2 found",
                    .found = true,
                    .findings = {finding_in(folder, "one.png"), finding_in(folder, "two.png")}}}});
  EXPECT_THAT(html, HasSubstr("points=\"1.0,2.0 30.0,2.2 30.0,40.0 1.0,40.0 \""));
  EXPECT_THAT(html, HasSubstr("2 found"));
  EXPECT_THAT(html, HasSubstr("inliers <b>42</b>"));
  EXPECT_THAT(html, HasSubstr("2 features agree"));
  EXPECT_EQ(count(html, "class=\"number\""), 2U);
  EXPECT_EQ(count(html, "data:image/jpeg;base64,"), 3U);
  EXPECT_EQ(count(html, "class=\"join\""), 4U);
}

TEST(Report, PairsThatDoNotAgreeAreGreyAndStepsAreListed) {
  const TemporaryFolder folder;
  ReportFinding finding = finding_in(folder, "one.png");
  finding.other_pairs = {{{1, 1}, {2, 2}}, {{3, 3}, {4, 4}}, {{5, 5}, {6, 6}}};
  const std::string html =
      rendered({.title = "Why",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"),
                             .findings = {finding},
                             .steps = {{"pose", true, "2 of 5 pairs & more", {}},
                                       {"probability", false, "too low", {{"detail", "0.5"}}}}}}});
  EXPECT_EQ(count(html, "class=\"join\""), 5U);
  EXPECT_EQ(count(html, "stroke=\"#98a2b3\"/>"), 3U);
  EXPECT_THAT(html, HasSubstr("2 features agree; 3 more look alike, in grey"));
  EXPECT_EQ(count(html, "class=\"outline\""), 2U) << "in the photo, and beside the image";
  EXPECT_THAT(html, HasSubstr("2 of 5 pairs &amp; more"));
  EXPECT_THAT(html, HasSubstr("detail <b>0.5</b>"));
}

TEST(Report, AnOutlineThatLeavesThePhotoIsShownAroundIt) {
  const TemporaryFolder folder;
  ReportFinding finding = finding_in(folder, "one.png");
  finding.quad = Quad{{{-20, -10}, {90, 0}, {80, 60}, {0, 5000}}};
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"), .findings = {finding}}}});
  // The photo is 64 x 48; a distant corner extends the figure to at most twice its height.
  EXPECT_THAT(html, HasSubstr("viewBox=\"-20.6 -10.6 111.3 106.6\""));
}

TEST(Report, PixelCentresAreHalfAPixelIn) {
  const TemporaryFolder folder;
  const std::string html = rendered({.title = "Found",
                                     .facts = {},
                                     .entries = {{.photo = picture_in(folder, "photo.png"),
                                                  .findings = {finding_in(folder, "one.png")}}}});
  EXPECT_THAT(html, HasSubstr("cx=\"7.5\" cy=\"8.5\""));
  EXPECT_THAT(html, HasSubstr("cx=\"5.5\" cy=\"6.5\""));
}

TEST(Report, SaysThatNothingWasFound) {
  const TemporaryFolder folder;
  const std::string html = rendered(
      {.title = "Found",
       .facts = {},
       .entries = {{.photo = picture_in(folder, "photo.png"), .verdict = "nothing found"}}});
  EXPECT_THAT(html, HasSubstr("nothing found"));
  EXPECT_EQ(count(html, "data:image/jpeg;base64,"), 1U);
  EXPECT_THAT(html, Not(HasSubstr("<polygon")));
}

TEST(Report, SaysWhyAPhotoWasNotLookedUp) {
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = "/gone.png", .problem = "it ends early"}}});
  EXPECT_THAT(html, HasSubstr("not looked up"));
  EXPECT_THAT(html, HasSubstr("it ends early"));
}

TEST(Report, APictureThatIsGoneIsSaidToBe) {
  const TemporaryFolder folder;
  ReportFinding finding = finding_in(folder, "one.png");
  finding.image = "/nowhere/one.png";
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"), .findings = {finding}},
                            {.photo = "/nowhere/photo.png", .findings = {finding}}}});
  EXPECT_THAT(html, HasSubstr("one.png cannot be read now: vanished: No such file"));
  EXPECT_THAT(html, HasSubstr("photo.png cannot be read now: vanished: No such file"));
}

TEST(Report, WhatAPictureWasExchangedForIsNeitherDecodedNorWaitedFor) {
  const TemporaryFolder folder;
  ReportFinding fifo = finding_in(folder, "fifo.png");
  std::filesystem::remove(fifo.image);
  ASSERT_EQ(::mkfifo(fifo.image.c_str(), 0600), 0);
  ReportFinding bomb = finding_in(folder, "bomb.png");
  folder.write("bomb.png", text(png_bomb(encode(".png", draw_picture(40, 40, 1)))));
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"), .findings = {fifo, bomb}}}});
  EXPECT_THAT(html, HasSubstr("fifo.png cannot be read now: unreadable: not a regular file"));
  EXPECT_THAT(html, HasSubstr("bomb.png cannot be read now: too_large: 40000 x 40000 px"));
  EXPECT_EQ(count(html, "data:image/jpeg;base64,"), 1U);
}

TEST(Report, PicturesAreHeldToTheLimitsOfTheConfiguration) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "photo.png").native();
  cv::imwrite(path, draw_poster(1, {1001, 1000}));
  const Report report{.title = "Found", .facts = {}, .entries = {{.photo = path}}};
  EXPECT_THAT(rendered(report), Not(HasSubstr("too_large")));
  ImagesOptions limits;
  limits.max_megapixels = 1;
  EXPECT_THAT(render_report(report, limits), HasSubstr("too_large"));
}

TEST(Report, HostileNamesStayText) {
  const TemporaryFolder folder;
  const std::string name = "<img src=x onerror=alert(1)>\"'&\xFF.png";
  const std::string html = rendered(
      {.title = "<b>title</b>",
       .facts = {{"<i>", "\"><script>"}},
       .entries = {{.photo = picture_in(folder, name), .findings = {finding_in(folder, name)}},
                   {.photo = "<u>", .problem = "<script>alert(1)</script>"}}});
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\uFFFD.png"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<b>title")));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, Not(HasSubstr("<u>")));
}

TEST(Report, WhatADecoderSaysStaysText) {
  const TemporaryFolder folder;
  const std::string broken = folder.write("<broken>.png", "\x89PNG\r\n\x1A\n");
  const std::string html =
      rendered({.title = "Found", .facts = {}, .entries = {{.photo = broken}}});
  EXPECT_THAT(html, HasSubstr("&lt;broken&gt;.png cannot be read now: undecodable: "));
  EXPECT_THAT(html, Not(HasSubstr("<broken>")));
}

TEST(Report, NeedsNothingFromElsewhere) {
  const TemporaryFolder folder;
  const std::string html = rendered({.title = "Found",
                                     .facts = {},
                                     .entries = {{.photo = picture_in(folder, "photo.png"),
                                                  .findings = {finding_in(folder, "one.png")}}}});
  EXPECT_THAT(html, HasSubstr("href=\"data:image/jpeg"));
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!data:image/jpeg|#)")));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
}

TEST(Report, ACornerAtInfinityIsNotDrawn) {
  const TemporaryFolder folder;
  ReportFinding finding = finding_in(folder, "one.png");
  (*finding.quad)[2].x = INFINITY;
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"), .findings = {finding}}}});
  EXPECT_THAT(html, Not(HasSubstr("<polygon")));
}

TEST(Report, AFindingWithoutAPoseHasNoOutlineAndNamesItsFiles) {
  const TemporaryFolder folder;
  ReportFinding finding = finding_in(folder, "one.png");
  finding.quad.reset();
  finding.paths = {"/a/one.png", "/b/copy.png"};
  const std::string html =
      rendered({.title = "Found",
                .facts = {},
                .entries = {{.photo = picture_in(folder, "photo.png"), .findings = {finding}}}});
  EXPECT_THAT(html, Not(HasSubstr("<polygon")));
  EXPECT_THAT(html, HasSubstr("/<wbr>a/<wbr>one.png"));
  EXPECT_THAT(html, HasSubstr("/<wbr>b/<wbr>copy.png"));
}

TEST(PageKind, IsWhatNamesLookalikeAsItsGenerator) {
  const auto is_page = page_kind().is_earlier;
  const std::string page = rendered({.title = "Today", .facts = {}, .entries = {}});
  EXPECT_TRUE(is_page(page.substr(0, kMarkBytes)));
  const std::string generator = "<meta name=\"generator\" content=\"lookalike 9\">";
  EXPECT_TRUE(is_page("<!DOCTYPE html>\n<head>" + generator));
  EXPECT_FALSE(is_page("<!DOCTYPE html>\n<head></head>\n<body>" + generator));
  EXPECT_FALSE(is_page("<!DOCTYPE html>\n<html><head><title>Theirs</title></head>"));
  EXPECT_FALSE(is_page("words about " + generator));
  EXPECT_FALSE(is_page(""));
}

}  // namespace
}  // namespace lookalike
