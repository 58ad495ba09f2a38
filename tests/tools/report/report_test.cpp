#include "tools/report/report.h"

#include <filesystem>
#include <regex>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/fixtures/drawing.h"
#include "tests/report_data.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::string picture_in(const TemporaryFolder& folder, const std::string& name) {
  std::string path = (folder.path() / name).native();
  cv::imwrite(path, draw_poster(1, {64, 48}));
  return path;
}

std::string written(const Report& report, const ImagesOptions& limits = {}) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "report.html";
  OutputFile file = OutputFile::unguarded(path);
  write_report(file, report, limits);
  return content_of(path);
}

// A report of one item with one picture.
Report report_of(const std::string& path, int longest_side_px = 640) {
  return {"Found", {{"index", "photos.db"}}, {{{{"query", path}}, {{"1", path, longest_side_px}}}}};
}

std::string reason_in(const std::string& html) {
  return data_in(html, "pictures").at(0).at("1").at("missing");
}

TEST(Report, EmbedsAnswersAndPictures) {
  const TemporaryFolder folder;
  const std::string path = picture_in(folder, "one.png");
  const std::string html = written(report_of(path, 32));
  const auto items = data_in(html, "item");
  ASSERT_THAT(items, SizeIs(2));
  EXPECT_EQ(items[0]["title"], "Found");
  EXPECT_EQ(items[0]["facts"].dump(), R"([["index","photos.db"]])");
  EXPECT_EQ(items[1]["query"], path);
  const nlohmann::json picture = data_in(html, "pictures").at(0).at("1");
  EXPECT_EQ(picture["width"], 64) << "the size of the original";
  EXPECT_EQ(picture["height"], 48);
  EXPECT_THAT(picture["url"].get<std::string>(), StartsWith("data:image/jpeg;base64,"));
}

TEST(Report, APhotoIsFoundByItsNameAndReadFromItsFile) {
  const ReportPicture picture = photo_picture("-", "relative.png");
  EXPECT_EQ(picture.key, "photo -");
  EXPECT_EQ(picture.path, (std::filesystem::current_path() / "relative.png").native());
}

TEST(Report, SaysWhyAPictureIsMissing) {
  EXPECT_THAT(reason_in(written(report_of("/nowhere/one.png"))),
              HasSubstr("vanished: No such file"));
  EXPECT_EQ(reason_in(written(report_of("camera 7"))), "no_file: was added without a file");
}

TEST(Report, WhatAPictureWasExchangedForIsNeitherDecodedNorWaitedFor) {
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo.png").native();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(reason_in(written(report_of(fifo))), "unreadable: not a regular file");
  const std::string bomb =
      folder.write("bomb.png", text(png_bomb(encode(".png", draw_picture(40, 40, 1)))));
  EXPECT_THAT(reason_in(written(report_of(bomb))), HasSubstr("too_large: 40000 x 40000 px"));
}

TEST(Report, PicturesAreHeldToTheLimitsOfTheConfiguration) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "photo.png").native();
  cv::imwrite(path, draw_poster(1, {1001, 1000}));
  EXPECT_THAT(written(report_of(path)), Not(HasSubstr("too_large")));
  ImagesOptions limits;
  limits.max_megapixels = 1;
  EXPECT_THAT(reason_in(written(report_of(path), limits)), StartsWith("too_large"));
}

TEST(Report, HostileNamesStayText) {
  const TemporaryFolder folder;
  const std::string name = "</script><img src=x onerror=alert(1)>\"'&\u202E<!--";
  const std::string html =
      written({"</title><b>", {{"<i>", name}}, {{{{"query", name + "\xFF"}}, {}}}});
  EXPECT_THAT(html, Not(HasSubstr("<img src")));
  EXPECT_THAT(html, Not(HasSubstr("</title><b>")));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
  EXPECT_THAT(html, Not(HasSubstr("\u202E")));
  EXPECT_EQ(data_in(html, "item").at(1)["query"],
            "</script><img src=x onerror=alert(1)>\"'&\uFFFD<!--\uFFFD");
}

TEST(Report, NeedsNothingFromElsewhereAndRunsItsOwnScriptAlone) {
  const TemporaryFolder folder;
  const std::string html = written(report_of(picture_in(folder, "one.png")));
  EXPECT_TRUE(std::regex_search(
      html, std::regex("default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                       "script-src 'sha256-[A-Za-z0-9+/]{43}='\"")));
  EXPECT_FALSE(std::regex_search(html, std::regex("<[a-z]+ [^>]*(src|href)=")));
  EXPECT_FALSE(std::regex_search(html, std::regex("\nimport |https://|@import")));
  EXPECT_THAT(html, HasSubstr("<noscript>"));
}

TEST(PageKind, IsWhatNamesLookalikeAsItsGenerator) {
  const auto is_page = page_kind().is_earlier;
  const std::string page = written({.title = "Today", .facts = {}, .items = {}});
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
