// `lookalike init` and `lookalike config`: a configuration from nothing to the values in force.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Configuration : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  std::string content(const std::string& name) const { return content_of(at(name)); }
  void draw(const std::string& folder) const {
    fs::create_directories(at(folder));
    for (std::uint64_t i = 0; i < 4; ++i) {
      cv::imwrite(at("x.png"), draw_poster(i, {300, 400}));
      fs::rename(at("x.png"), at(folder) + "/" + std::to_string(i) + ".png");
    }
  }
  static ProgramResult run(const std::vector<std::string>& words,
                           const std::vector<std::string>& settings = {}) {
    return run_program("lookalike", words, settings);
  }

  TemporaryFolder folder_;
};

TEST_F(Configuration, InitWritesAFileThatIndexTakes) {
  const std::string odd = "say \"cheese\"\\ \xE4";  // not UTF-8
  draw("photos");
  draw(odd);
  const ProgramResult written =
      run({"init", at("photos") + "/../photos/", at(odd), "--output", at("run.toml")});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, IsEmpty());
  EXPECT_THAT(written.err, HasSubstr("next: lookalike index --config " + at("run.toml")));
  const std::string text = content("run.toml");
  EXPECT_THAT(
      text, AllOf(HasSubstr("folders = [\"" + at("photos") + "\""),
                  HasSubstr("# This machine has:\n#   \"::0\"  "), HasSubstr(", which is used\n"),
                  ContainsRegex("\nmemory_limit_mib = [0-9]+\n"), HasSubstr("\nniceness = 10\n")));
  EXPECT_EQ(run({"config", "--check", at("run.toml")}).exit_code, 0);
  const ProgramResult indexed = run({"index", "--config", at("run.toml")});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  EXPECT_THAT(indexed.err, HasSubstr("8 indexed"));
  EXPECT_TRUE(fs::exists(at("lookalike.db")));
}

TEST_F(Configuration, InitNeverReplacesAFile) {
  fs::create_directory(at("photos"));
  folder_.write("run.toml", "");
  fs::create_symlink("nowhere", at("link.toml"));
  for (const char* const name : {"run.toml", "link.toml", "photos"}) {
    const ProgramResult result = run({"init", at("photos"), "--output", at(name)});
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("exists and stays unchanged"));
  }
  EXPECT_EQ(content("run.toml"), "");
  EXPECT_FALSE(fs::exists(at("nowhere")));
}

TEST_F(Configuration, InitNeedsFoldersThatExist) {
  EXPECT_EQ(run({"init"}).exit_code, 2);
  const ProgramResult result = run({"init", at("none"), "--output", at("run.toml")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(at("none") + ": no such folder"));
  EXPECT_FALSE(fs::exists(at("run.toml")));
}

TEST_F(Configuration, InitMayPrint) {
  fs::create_directory(at("photos"));
  const ProgramResult result = run({"init", at("photos"), "--output", "-"});
  EXPECT_EQ(result.exit_code, 0);
  folder_.write("printed.toml", result.out);
  EXPECT_EQ(run({"config", "--check", at("printed.toml")}).exit_code, 0);
}

TEST_F(Configuration, CheckNamesTheFirstFaultWithItsPlace) {
  const auto fault = [&](const std::string& text) {
    const std::string file = folder_.write("run.toml", text);
    const ProgramResult result = run({"config", "--check", file});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  };
  EXPECT_THAT(fault("[extract]\noctaves = 9\n"), HasSubstr("run.toml:2:11: extract.octaves: must"));
  EXPECT_THAT(fault("[extract]\noctave = 4\n"), HasSubstr("run.toml:2:1: extract.octave: unknown"));
  EXPECT_THAT(fault("[extract\n"), HasSubstr("run.toml:1:"));
  EXPECT_THAT(fault("[locate]\nmin_scale = 3\n"), HasSubstr("run.toml: locate.min_scale: must"));
  const ProgramResult good = run({"config", "--check", folder_.write("run.toml", "[match]\n")});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out + good.err, IsEmpty());
  EXPECT_EQ(run({"config", "--check", at("none.toml")}).exit_code, 2);
  const ProgramResult unnamed = run({"config", "--check", ""});
  EXPECT_EQ(unnamed.exit_code, 2);
  EXPECT_THAT(unnamed.out, IsEmpty());
  EXPECT_EQ(run({"config", "--check", at("run.toml"), "--set", "match.top=3"}).exit_code, 2);
}

TEST_F(Configuration, EffectiveHasWhatIsInForceAndReadsBack) {
  const std::string file =
      folder_.write("run.toml", "[images]\nfolders = [\"photos\"]\n[extract]\noctaves = 3\n");
  const std::vector<std::string> words = {"config", "--effective", "--config",
                                          file,     "--set",       "match.top=7"};
  const ProgramResult effective = run(words, {"LOOKALIKE_DATABASE=" + at("by env.db")});
  ASSERT_EQ(effective.exit_code, 0) << effective.err;
  EXPECT_THAT(effective.out,
              AllOf(HasSubstr("\nfolders = [\"" + at("photos") + "\"]  # " + file + "\n"),
                    HasSubstr("\noctaves = 3  # " + file + "\n"), HasSubstr("\nlayers = 3\n"),
                    HasSubstr("\ntop = 7  # command line\n"),
                    HasSubstr("\ndatabase = \"" + at("by env.db") + "\"  # LOOKALIKE_DATABASE\n")));
  const std::string copy = folder_.write("copy.toml", effective.out);
  const std::string again = run({"config", "--effective", "--config", copy}).out;
  const auto without_remarks = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("  # ", at)) != text.npos;) {
      text.erase(at, text.find('\n', at) - at);
    }
    return text;
  };
  EXPECT_EQ(without_remarks(again), without_remarks(effective.out));
  EXPECT_THAT(without_remarks(again), Not(HasSubstr("#")));
  EXPECT_THAT(run({"config", "--effective"}, {"LOOKALIKE_DATABASE="}).out,
              Not(HasSubstr("# LOOKALIKE_DATABASE")));
}

}  // namespace
}  // namespace lookalike
