#include "tools/command_line/command_line.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/program.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with a few options for keys of the configuration.
class Program {
 public:
  Program() : app_("Does nothing.", "lookalike-nothing"), config_(app_) {
    config_.add({"extract.octaves", "extract.upright"});
    config_.add("images.folders", "FOLDER");
    config_.add_each("images.exclude");
    config_.add_database();
  }
  RunConfig run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "lookalike-nothing");
    goes_on_ = parse_command_line(app_, static_cast<int>(arguments.size()), arguments.data());
    return config_.load();
  }
  std::string database(const std::vector<const char*>& arguments) {
    RunConfig config = run(arguments);
    return config_.choose_database(config);
  }
  std::string existing_database(const std::vector<const char*>& arguments) {
    RunConfig config = run(arguments);
    return config_.existing_database(config);
  }
  bool goes_on() const { return goes_on_; }

 private:
  CLI::App app_;
  ConfigArguments config_;
  bool goes_on_ = false;
};

std::string refusal(const std::vector<const char*>& arguments) {
  try {
    Program().run(arguments);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

TEST(ConfigArguments, WithoutAnyAreTheDefaults) {
  EXPECT_EQ(Program().run({}), RunConfig{});
}

TEST(ConfigArguments, OptionsWinOverTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("run.toml", "[extract]\noctaves = 3\nlayers = 4\n");
  const RunConfig config = Program().run({"--octaves", "5", "--config", file.c_str()});
  EXPECT_EQ(config.extract.octaves, 5U);
  EXPECT_EQ(config.extract.layers, 4U);
}

TEST(ConfigArguments, OnlyAListTakesMoreThanOneValue) {
  EXPECT_THAT(Program().run({"--images", "/a", "/b"}).images.folders, ElementsAre("/a", "/b"));
  EXPECT_THAT(refusal({"--octaves", "2", "--octaves", "3"}), HasSubstr("--octaves"));
}

TEST(ConfigArguments, FoldersMayStandAloneBesideTheirOption) {
  EXPECT_THAT(Program().run({"/a", "/b"}).images.folders, ElementsAre("/a", "/b"));
  EXPECT_THAT(Program().run({"/a", "--images", "/b"}).images.folders, ElementsAre("/a", "/b"));
}

TEST(ConfigArguments, EachUseOfAnOptionMayAddOneValue) {
  const RunConfig config = Program().run({"--exclude", "*.gif", "/a", "--exclude", "old/"});
  EXPECT_THAT(config.images.exclude, ElementsAre("*.gif", "old/"));
  EXPECT_THAT(config.images.folders, ElementsAre("/a"));
}

TEST(ConfigArguments, SetTakesOneValueEach) {
  const RunConfig config = Program().run({"--set", "extract.octaves=2", "/a"});
  EXPECT_EQ(config.extract.octaves, 2U);
  EXPECT_THAT(config.images.folders, ElementsAre("/a"));
}

// Without the variable, and in an empty folder.
class Database : public testing::Test {
 protected:
  Database() : before_(std::filesystem::current_path()) {
    ::unsetenv("LOOKALIKE_DATABASE");
    std::filesystem::current_path(folder_.path());
    here_ = std::filesystem::current_path();
    set_up_logging(Verbosity::kNormal);
  }
  ~Database() override {
    ::unsetenv("LOOKALIKE_DATABASE");
    std::filesystem::current_path(before_);
  }
  std::string here(const std::string& name) const { return (here_ / name).native(); }

  const std::filesystem::path before_;
  const TemporaryFolder folder_;
  std::filesystem::path here_;
};

TEST_F(Database, IsNamedByItsOptionsFirst) {
  ::setenv("LOOKALIKE_DATABASE", "/variable.db", 1);
  EXPECT_EQ(Program().database({"-d", "a.db"}), here("a.db"));
  EXPECT_EQ(Program().database({"--database", "a.db"}), here("a.db"));
  EXPECT_EQ(Program().database({"--set", "store.database=/a.db"}), "/a.db");
}

TEST_F(Database, ThenByTheVariableAndThenByTheFile) {
  const std::string file = folder_.write("run.toml", "[store]\ndatabase = \"file.db\"\n");
  EXPECT_EQ(Program().database({"--config", file.c_str()}), here("file.db"));
  ::setenv("LOOKALIKE_DATABASE", "variable.db", 1);
  EXPECT_EQ(Program().database({}), here("variable.db"));
  testing::internal::CaptureStderr();
  set_up_logging(Verbosity::kNormal);
  EXPECT_EQ(Program().database({"--config", file.c_str()}), here("variable.db"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(here("file.db")));
}

TEST_F(Database, IsInTheCurrentFolderWhenNothingNamesOne) {
  testing::internal::CaptureStderr();
  set_up_logging(Verbosity::kNormal);
  EXPECT_EQ(Program().database({}), here("lookalike.db"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "info: no index is named; using " + here("lookalike.db") + "\n");
  folder_.write("lookalike.db", "");
  testing::internal::CaptureStderr();
  set_up_logging(Verbosity::kNormal);
  EXPECT_EQ(Program().database({}), here("lookalike.db"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "only when a run makes it";
}

TEST_F(Database, MustExistForCommandsThatNeedOne) {
  const auto kind_of = [](const std::vector<const char*>& words) {
    try {
      Program().existing_database(words);
      return ErrorKind::kInternal;
    } catch (const Error& error) {
      return error.kind();
    }
  };
  EXPECT_EQ(kind_of({"-d", "/nowhere/a.db"}), ErrorKind::kInput);
  EXPECT_EQ(kind_of({}), ErrorKind::kUsage);
  folder_.write("lookalike.db", "");
  EXPECT_EQ(Program().existing_database({}), here("lookalike.db"));
}

TEST(ConfigArguments, AFlagMakesItsKeyTrue) {
  EXPECT_TRUE(Program().run({"--upright"}).extract.upright);
}

TEST(ConfigArguments, FileNamesAreRelativeToWhereWeAre) {
  const RunConfig config = Program().run({"--images", "a", "/b", "--database", "c.db"});
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_THAT(config.images.folders, ElementsAre((here / "a").string(), "/b"));
  EXPECT_EQ(config.store.database, (here / "c.db").string());
}

TEST(ConfigArguments, AnOptionOutOfRangeIsTold) {
  EXPECT_EQ(refusal({"--octaves", "9"}), "--octaves: must be an integer from 1 to 6, was \"9\"");
}

TEST(ConfigArguments, SetReachesEveryKeyAndWins) {
  const RunConfig config = Program().run(
      {"--set", "extract.octaves=2", "--octaves", "5", "--set", "match.resolve_overlaps=false"});
  EXPECT_EQ(config.extract.octaves, 2U);
  EXPECT_FALSE(config.match.resolve_overlaps);
}

TEST(ConfigArguments, SetRefusesKeysThatThereAreNotAndValuesOutOfRange) {
  EXPECT_THAT(refusal({"--set", "extract.octave=2"}), HasSubstr("extract.octave=2"));
  EXPECT_THAT(refusal({"--set", "extract.octaves"}), HasSubstr("TABLE.KEY=VALUE"));
  EXPECT_EQ(refusal({"--set", "extract.octaves=9"}),
            "--set extract.octaves: must be an integer from 1 to 6, was \"9\"");
}

TEST(ParseCommandLine, WhatIsWrongIsToldAndWhereHelpIs) {
  EXPECT_THAT(refusal({"--octave", "9"}), HasSubstr("--octave"));
  EXPECT_THAT(refusal({"--octaves"}), HasSubstr("see lookalike-nothing --help"));
}

TEST(ParseCommandLine, AnUnknownOptionNamesTheNearestOne) {
  EXPECT_EQ(refusal({"--databse", "a.db"}),
            "--databse: no such option; did you mean \"--database\"? See "
            "lookalike-nothing --help");
  EXPECT_EQ(refusal({"--octves=3"}),
            "--octves: no such option; did you mean \"--octaves\"? See "
            "lookalike-nothing --help");
  EXPECT_EQ(refusal({"--zzz"}), "--zzz: no such option; see lookalike-nothing --help");
}

TEST(ParseCommandLine, HelpEndsTheProgramAndHasDailyOptionsFirst) {
  Program program;
  testing::internal::CaptureStdout();
  program.run({"--help"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), R"(Does nothing.

Usage: lookalike-nothing [OPTIONS] [FOLDER...]

Arguments:
  FOLDER DIR ...            Folders to index, recursively.

Options:
  -h,--help                 Print this help message and exit
  --images DIR ...          Folders to index, recursively.
  --exclude TEXT            Files and folders to leave out: patterns as in
                            .gitignore, from each folder down.
  -d,--database FILE        Index file. Default: $LOOKALIKE_DATABASE, else the
                            one of --config, else ./lookalike.db
  -V,--version              Display program version information and exit

More options:
  --config FILE             Configuration file; options override it
  --set TABLE.KEY=VALUE     Set any configuration key (see lookalike config);
                            overrides file and options
  --octaves N               Octaves of the scale space. Must be an integer from
                            1 to 6. Default: 4
  --upright                 Skip orientation: faster, for photos that are never
                            rotated.

)");
  EXPECT_FALSE(program.goes_on());
}

}  // namespace
}  // namespace lookalike
