// Many near-copies of one picture, and files of the same bytes.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/report_data.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr int kNearCopies = 15;

class Copies : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    fs::create_directories(at("photos"));
    const cv::Mat poster = draw_poster(1, {300, 400});
    for (int i = 0; i < kNearCopies; ++i) {
      cv::imwrite(at("photos/near" + std::to_string(i) + ".jpg"), poster,
                  {cv::IMWRITE_JPEG_QUALITY, 60 + i});
    }
    cv::imwrite(at("query.png"), poster);
    cv::imwrite(at("photos/other.png"), draw_poster(2, {300, 400}));
    fs::copy_file(at("photos/other.png"), at("photos/same.png"));
    fs::copy_file(at("photos/other.png"), at("photos/\xFF.png"));
    cv::imwrite(at("other.png"), draw_poster(2, {300, 400}));
    cv::imwrite(at("photos/flat.png"), cv::Mat(200, 300, CV_8U, cv::Scalar(124)));
    const ProgramResult indexed = run_program(
        "lookalike", {"index", "-q", "--images", at("photos"), "--database", at("index.db")});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return folder_->path() / name; }
  static ProgramResult query(std::vector<std::string> words) {
    words.insert(words.begin(), {"query", "-q", "--database", at("index.db")});
    return run_program("lookalike", words);
  }
  static json answer(std::vector<std::string> words) {
    words.insert(words.begin(), "--json");
    const ProgramResult result = query(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Copies::folder_;

TEST_F(Copies, TheDecisionDoesNotDependOnTheRank) {
  const json answered = answer({"--top", "20", at("query.png")});
  EXPECT_EQ(answered["matches"].size(), kNearCopies);
  for (const json& match : answered["matches"]) {
    EXPECT_EQ(match["decision"], "duplicate") << match;
    EXPECT_GE(match["correlation"], 0.98) << match;
  }
}

TEST_F(Copies, AnIndexedFileIsADuplicateOfItselfHoweverLittleItShows) {
  for (const std::string name : {"photos/near3.jpg", "photos/other.png", "photos/flat.png"}) {
    const json match = answer({at(name)})["matches"].at(0);
    EXPECT_EQ(match["path"], at(name));
    EXPECT_EQ(match["decision"], "duplicate") << match;
    EXPECT_EQ(match["correlation"], 1) << match;
    EXPECT_EQ(match["quad"][0], json({0, 0})) << match;
  }
}

TEST_F(Copies, ThoseOfOnePlaceAreFoldedInTextAlone) {
  const json answered = answer({"--top", "1", at("query.png")});
  EXPECT_EQ(answered["found"], kNearCopies);
  EXPECT_EQ(answered["total"], kNearCopies);
  EXPECT_EQ(answered["places"], 1);
  EXPECT_EQ(answered["matches"].size(), kNearCopies);
  for (const json& match : answered["matches"]) EXPECT_EQ(match["place"], 1);
  const std::string folded = query({"--report", at("r.html"), at("query.png")}).out;
  EXPECT_THAT(folded, HasSubstr("15 same pictures\n"));
  EXPECT_THAT(folded, HasSubstr("14 more here: 14 same pictures\n"));
  const json pictures = data_in(content_of(at("r.html")), "pictures").at(0);
  EXPECT_EQ(pictures.size(), 1 + kNearCopies) << "of the photo and of each match";
  const std::string unfolded = query({"--unfold", at("query.png")}).out;
  EXPECT_EQ(std::ranges::count(unfolded, '\n'), 1 + kNearCopies);
}

TEST_F(Copies, AllFilesOfTheSameBytesAreListed) {
  const std::string not_utf8 = "file://" + at("photos/%FF.png");
  const json match = answer({at("other.png")})["matches"].at(0);
  EXPECT_EQ(match["path"], at("photos/other.png"));
  EXPECT_THAT(match["paths"].get<std::vector<std::string>>(),
              UnorderedElementsAre(at("photos/other.png"), at("photos/same.png"), not_utf8));
  EXPECT_THAT(query({at("other.png")}).out, AllOf(HasSubstr(at("photos/other.png")),
                                                  HasSubstr("also  " + at("photos/same.png"))));
}

TEST_F(Copies, TablesHaveARowAndPathsALinePerFile) {
  const std::string table = query({"--top", "1", "--format", "tsv", at("other.png")}).out;
  for (const std::string& file :
       {at("photos/other.png"), at("photos/same.png"), "file://" + at("photos/%FF.png")}) {
    EXPECT_THAT(table, ContainsRegex("\t1\t1\tduplicate\t[^\n]*\t" + file + "\t\tfalse\n"));
  }
  const std::string paths = query({"--top", "1", "--format", "paths", at("other.png")}).out;
  EXPECT_EQ(paths, at("photos/other.png") + '\n' + at("photos/same.png") + '\n' +
                       at("photos/\xFF.png") + '\n');
}

TEST_F(Copies, AnyFileNamesTheImageAndSoDoesItsUri) {
  const json by_first = answer({"--id", at("photos/other.png")});
  for (const std::string& name :
       {at("photos/same.png"), at("photos/\xFF.png"), "file://" + at("photos/%FF.png")}) {
    EXPECT_EQ(answer({"--id", name})["matches"], by_first["matches"]) << name;
  }
  EXPECT_EQ(answer({"file://" + at("photos/%FF.png")})["matches"][0]["decision"], "duplicate");
}

TEST_F(Copies, AFileThatIsGoneIsMarked) {
  fs::rename(at("photos/other.png"), at("kept.png"));
  const json match = answer({at("other.png")})["matches"].at(0);
  const ProgramResult text = query({at("other.png")});
  const ProgramResult table = query({"--top", "1", "--format", "csv", at("other.png")});
  const ProgramResult paths = query({"--top", "1", "--format", "paths", at("other.png")});
  fs::rename(at("kept.png"), at("photos/other.png"));
  EXPECT_EQ(match["path"], at("photos/same.png"));
  EXPECT_EQ(match["gone"], json({at("photos/other.png")}));
  EXPECT_THAT(text.out,
              HasSubstr(at("photos/other.png") + "  (file is gone; run `lookalike index`)"));
  EXPECT_THAT(table.out, AllOf(HasSubstr(at("photos/other.png") + "\",,true\n"),
                               HasSubstr(at("photos/same.png") + "\",,false\n")));
  EXPECT_THAT(paths.out, AllOf(HasSubstr(at("photos/same.png")), Not(HasSubstr("other.png"))));
  for (const ProgramResult& result : {table, paths}) {
    EXPECT_THAT(result.err, HasSubstr("1 of the matches' files are gone; run `lookalike index`"));
  }
}

}  // namespace
}  // namespace lookalike
