// Text output fits a terminal; elsewhere each column is one word.

#include "base/text.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/pseudo_terminal.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TextTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(at("posters"));
    for (std::uint64_t i = 0; i < 8; ++i) {
      cv::imwrite(at("posters/" + std::to_string(i) + ".png"), draw_poster(i, {300, 400}));
    }
    folder_->write("posters/broken.png", "not a picture");
    const Placement placement = {draw_poster(3, {300, 400}),
                                 {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}}};
    cv::imwrite(at("scene.png"), draw_scene(std::span(&placement, 1), {640, 600}, 1));
    cv::imwrite(at("stranger.png"), draw_stranger(5, {500, 400}));
    run_program("lookalike", {"index", "-q", at("posters"), "-d", at("index.db")});
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string at(const std::string& name) { return (folder_->path() / name).native(); }
  static std::string out(const std::vector<std::string>& words) {
    return run_program("lookalike", words).out;
  }
  // Returns the words of each line.
  static std::vector<std::vector<std::string>> words_of(const std::string& text) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      std::istringstream words(line);
      lines.emplace_back();
      for (std::string word; words >> word;) lines.back().push_back(word);
    }
    return lines;
  }
  // Returns what a command writes to a terminal of `columns` columns.
  static std::string on_terminal(std::vector<std::string> words, std::uint16_t columns) {
    Terminal terminal(columns);
    words.insert(words.begin(), LOOKALIKE_PROGRAMS "/lookalike");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t process = ::fork();
    if (process == 0) {
      ::dup2(::fileno(terminal.out()), STDOUT_FILENO);
      ::setenv("NO_COLOR", "1", 1);
      ::execv(pointers.front(), pointers.data());
      ::_exit(127);
    }
    std::string text;
    for (int status = 0; ::waitpid(process, &status, WNOHANG) == 0;) {
      text += terminal.written();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return text + terminal.written();
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> TextTest::folder_;

TEST_F(TextTest, AMatchHasTheSameColumnsWhateverIsKnown) {
  const auto found = words_of(out({"query", "-d", at("index.db"), at("scene.png")}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].size(), 9U);
  EXPECT_EQ(found[1][0], "1");
  EXPECT_EQ(found[1][1], "same_object");
  EXPECT_EQ(found[1][2], "probability");
  EXPECT_EQ(found[1][4], "inliers");
  EXPECT_EQ(found[1][6], "correlation");
  EXPECT_EQ(found[1][8], at("posters/3.png"));
  const auto none = words_of(out({"query", "--all", "-d", at("index.db"), at("stranger.png")}));
  ASSERT_GE(none.size(), 2U);
  EXPECT_EQ(none[1].size(), 9U);
}

TEST_F(TextTest, ListsHaveAWordForEachColumn) {
  const auto files = words_of(out({"list", "-d", at("index.db")}));
  ASSERT_EQ(files.size(), 9U);
  EXPECT_EQ(files[8][0], "-");
  for (const auto& line : files) EXPECT_EQ(line.size(), 5U);
  const auto folders = words_of(out({"folders", "-d", at("index.db")}));
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(folders[0][0], "8");
  EXPECT_EQ(folders[0][3], at("posters"));
  const auto quarantine = words_of(out({"quarantine", "-d", at("index.db")}));
  ASSERT_EQ(quarantine.size(), 2U);  // the second is the detail
  EXPECT_THAT(quarantine[0], testing::ElementsAre("undecodable", at("posters/broken.png")));
  const auto places =
      words_of(out({"locate", "--object", at("posters/3.png"), "--scene", at("scene.png")}));
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[1].size(), 17U);
  EXPECT_EQ(places[1][2], "x");
  EXPECT_EQ(places[1][16], at("posters/3.png"));
}

TEST_F(TextTest, TablesHaveTheSameRows) {
  const auto rows = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "tsv"});
    std::vector<std::string> lines;
    std::istringstream stream(out(words));
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  };
  const auto places =
      rows({"locate", "--object", at("posters/3.png"), "--scene", at("scene.png"), at("no.png")});
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0],
            "scene\tobject\tmethod\tx\ty\tposition_error_px\tangle_degrees\tscale\tcorrelation\t"
            "colour\terror");
  EXPECT_THAT(places[1],
              testing::StartsWith(at("scene.png") + '\t' + at("posters/3.png") + "\tfeatures\t"));
  EXPECT_EQ(places[2], at("no.png") + "\t\t\t\t\t\t\t\t\t\tno such file");
  EXPECT_THAT(rows({"explain", "-d", at("index.db"), at("scene.png"), "1"}),
              testing::Contains(testing::StartsWith("votes\t")));
  EXPECT_THAT(rows({"show", "-d", at("index.db")}), testing::Contains("images\t8"));
  EXPECT_THAT(rows({"show", "-d", at("index.db"), "1"}),
              testing::Contains("path\t" + at("posters/0.png")));
  EXPECT_THAT(rows({"check", "-d", at("index.db")}), ElementsAre("problem"));
  EXPECT_THAT(rows({"devices"})[0], testing::StartsWith("index\tused\ttype"));
  EXPECT_THAT(rows({"features", at("posters/3.png")})[0], testing::StartsWith("x\ty\tsize\t"));
  EXPECT_EQ(out({"locate", "--object", at("posters/3.png"), "--scene", at("stranger.png"),
                 at("scene.png"), "--format", "paths"}),
            at("scene.png") + "\n");
}

TEST_F(TextTest, FitsTheTerminalButForPathsAndLongWords) {
  std::filesystem::create_directories(at("copies"));
  for (const char* const name : {"copies/a.png", "copies/b.png"}) {
    std::filesystem::copy_file(at("posters/3.png"), at(name));
  }
  run_program("lookalike", {"index", "-q", at("copies"), at("posters"), "-d", at("copies.db")});
  run_program("lookalike", {"reject", "-q", "-d", at("copies.db"), "1", "2"});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"query", "--all", "-d", at("index.db"), at("scene.png")},
        {"explain", "-d", at("index.db"), at("scene.png"), "4"},
        {"locate", "--object", at("posters/3.png"), "--scene", at("scene.png")},
        {"locate", "--object", at("posters/3.png"), "--scene", at("stranger.png")},
        {"list", "-d", at("index.db")},
        {"folders", "-d", at("index.db")},
        {"quarantine", "-d", at("index.db")},
        {"runs", "-d", at("index.db")},
        {"show", "-d", at("index.db")},
        {"show", "-d", at("index.db"), "4"},
        {"check", "-d", at("posters/broken.png")},
        {"duplicates", "-q", "-d", at("copies.db")},
        {"reject", "-d", at("copies.db")},
        {"formats"},
        {"devices"}}) {
    const std::string text = on_terminal(words, 60);
    EXPECT_FALSE(text.empty()) << words.front();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == line.npos;
      if (!is_one_word && line.find(folder_->path().native()) == line.npos) {
        EXPECT_LE(character_count(line), 60U) << line;
      }
    }
  }
  EXPECT_THAT(on_terminal({"query", "-d", at("index.db"), at("posters/3.png")}, 60),
              HasSubstr("\n      " + at("posters/3.png")));
}

}  // namespace
}  // namespace lookalike
