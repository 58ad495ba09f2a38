// Every image format, from the folder to the report.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "config/image_formats.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/fixtures/image_files.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FormatsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "photos");
    for (std::size_t i = 0; i < file_formats().size(); ++i) {
      write(name(i), file_formats()[i].make(poster(i)));
      write(fmt::format("{}.png", i), file_formats()[1].make(poster(i)));
    }
    const ProgramResult indexed =
        run_program("lookalike", {"index", path("photos"), "-d", path("index.db")});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static cv::Mat poster(std::size_t i) { return draw_poster(i, {400, 300}); }
  static std::string name(std::size_t i) {
    return fmt::format("photos/{}{}", i, file_formats()[i].ending);
  }
  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static void write(const std::string& name, const FileBytes& bytes) {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> FormatsTest::folder_;

TEST_F(FormatsTest, AReaderThatCannotStartIsNamedAtOnce) {
  const std::pair<const char*, const char*> readers[] = {
      {"exit 127", "lookalike-reader: ended with exit code 127; reinstall lookalike"},
      {"exit 0", "lookalike-reader: ended with exit code 0; reinstall lookalike"},
      {"kill -9 $$", "lookalike-reader: ended by signal 9 (Killed); reinstall lookalike"},
      {"", "lookalike-reader cannot be started; reinstall lookalike: Permission"},
  };
  const std::string photo = path("reader.bmp");
  cv::imwrite(photo, poster(1));
  for (const auto& [reader, message] : readers) {
    const TemporaryFolder folder;
    const std::string program = install_with(folder.path(), "lookalike-reader", reader);
    const auto begin = std::chrono::steady_clock::now();
    const ProgramResult result = run_program(program, {"query", "-d", path("index.db"), photo});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << reader;
    EXPECT_EQ(result.exit_code, 70) << reader;
    EXPECT_THAT(result.err, HasSubstr(message)) << reader;
  }
}

TEST_F(FormatsTest, AFileOfEachIsFoundAndFindsItself) {
  std::vector<std::string> words = {"query", "-d", path("index.db"), "--json"};
  for (std::size_t i = 0; i < file_formats().size(); ++i) {
    words.push_back(path(fmt::format("{}.png", i)));
    words.push_back(path(name(i)));
  }
  const ProgramResult result = run_program("lookalike", words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  for (std::size_t i = 0; std::getline(lines, line);) {
    const json answer = json::parse(line);
    if (answer["query"].get<std::string>().ends_with(']')) continue;  // a further page
    ASSERT_FALSE(answer["matches"].empty()) << line;
    EXPECT_EQ(answer["matches"][0]["path"], path(name(i / 2)));
    // The GIF file has eight levels of red and green and four of blue, so the picture differs.
    const bool is_poorer = name(i / 2).ends_with(".gif") && i % 2 == 0;
    EXPECT_EQ(answer["matches"][0]["decision"], is_poorer ? "variant" : "duplicate") << name(i / 2);
    ++i;
  }
}

// Browsers show few of the formats.
TEST_F(FormatsTest, ReportsShowThemAsJpeg) {
  const std::size_t last = file_formats().size() - 1;
  const ProgramResult result = run_program(
      "lookalike",
      {"query", "-d", path("index.db"), "--report", path("found.html"), path(name(last))});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = content_of(path("found.html"));
  EXPECT_THAT(page, AllOf(HasSubstr("data:image/jpeg;base64,"),
                          HasSubstr(std::filesystem::path(name(last)).filename().native()),
                          Not(HasSubstr("\"missing\""))));
}

TEST_F(FormatsTest, EachPageOfAFileIsFoundByItsName) {
  const std::vector<cv::Mat> pages = {poster(20), poster(21), poster(22)};
  std::filesystem::create_directories(path("scans"));
  const std::string scan = path("scans/scan.tif");
  cv::imwritemulti(scan, pages);
  cv::imwrite(path("second.png"), pages[1]);
  const std::string database = path("scans.db");
  ASSERT_EQ(run_program("lookalike", {"index", "-q", path("scans"), "-d", database}).exit_code, 0);

  const ProgramResult found = run_program(
      "lookalike", {"query", "-d", database, "--json", path("second.png"), scan + "[3]"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  std::istringstream lines(found.out);
  std::string line;
  for (const int page : {2, 3}) {
    ASSERT_TRUE(std::getline(lines, line));
    const json match = json::parse(line)["matches"].at(0);
    EXPECT_EQ(match["path"], fmt::format("{}[{}]", scan, page));
    EXPECT_EQ(match["page"], page);
    EXPECT_TRUE(match["gone"].empty());
    EXPECT_GT(match["correlation"], 0.9) << "the pixels of the page";
  }
  run_program("lookalike",
              {"query", "-d", database, "--report", path("pages.html"), path("second.png")});
  EXPECT_THAT(content_of(path("pages.html")),
              AllOf(HasSubstr("scan.tif[2]"), Not(HasSubstr("\"missing\""))));
  EXPECT_THAT(run_program("lookalike", {"list", "-d", database, "--format", "paths"}).out,
              testing::EndsWith(fmt::format("{0}\n{0}[2]\n{0}[3]\n", scan)));
  EXPECT_THAT(run_program("lookalike", {"show", "-d", database, scan + "[2]"}).out,
              HasSubstr("page            2"));
  EXPECT_THAT(run_program("lookalike", {"query", "-d", database, scan + "[4]"}).err,
              HasSubstr("the file has 3 pages"));
}

TEST_F(FormatsTest, AreListed) {
  const ProgramResult listed = run_program("lookalike", {"formats", "--format", "json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const json formats = json::parse(listed.out)["formats"];
  const json metadata = json::parse(listed.out)["metadata"];
  EXPECT_EQ(metadata["available"].get<bool>(), is_built(ReaderModule::kMetadata));
  EXPECT_EQ(metadata["missing"] == "", is_built(ReaderModule::kMetadata));
  ASSERT_EQ(formats.size(), image_formats().size());
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const ImageFormatInfo& format = image_formats()[i];
    EXPECT_EQ(formats[i]["format"], std::string(format.name));
    EXPECT_EQ(formats[i]["endings"][0], std::string(format.endings[0]));
    const bool is_made_here = std::ranges::any_of(file_formats(), [&](const FileFormat& made) {
      return std::ranges::find(format.endings, made.ending.substr(1)) != format.endings.end();
    });
    if (format.is_built_in() && is_made_here) {
      EXPECT_EQ(formats[i]["missing"], "") << format.name;
    }
    EXPECT_EQ(formats[i]["available"].get<bool>(), formats[i]["missing"] == "");
    if (!format.is_built_in()) {
      EXPECT_THAT(formats[i]["missing"].get<std::string>(), HasSubstr(std::string(format.package)));
    }
  }
  EXPECT_THAT(run_program("lookalike", {"formats"}).out,
              AllOf(HasSubstr("JPEG           libjpeg-turbo  jpg"),
                    HasSubstr("metadata       libexiv2       EXIF")));
  EXPECT_THAT(run_program("lookalike", {"formats", "--format", "csv"}).out,
              HasSubstr("format,endings,read_by,available,missing,left_out\n"));
  EXPECT_TRUE(formats[0]["left_out"].empty());
  EXPECT_THAT(run_program("lookalike", {"formats", "--set", "images.extensions=[\"jpg\"]"}).out,
              HasSubstr("not indexed: jpeg jpe jfif, which images.extensions leaves out"));
}

}  // namespace
}  // namespace lookalike
