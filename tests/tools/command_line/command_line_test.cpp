#include "tools/command_line/command_line.h"

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
    config_.add("--octaves", "extract.octaves");
    config_.add("--upright", "extract.upright");
    config_.add("--images", "images.folders");
    config_.add("--database", "store.database");
  }
  RunConfig run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "lookalike-nothing");
    goes_on_ = parse_command_line(app_, static_cast<int>(arguments.size()), arguments.data());
    return config_.load();
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
  EXPECT_EQ(Program().run({"--images", "/a", "/b"}).images.folders,
            (std::vector<std::string>{"/a", "/b"}));
  EXPECT_THAT(refusal({"--database", "/a", "/b"}), HasSubstr("/b"));
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
      {"--set", "extract.octaves=2", "--octaves", "5", "--set", "match.explain_once=false"});
  EXPECT_EQ(config.extract.octaves, 2U);
  EXPECT_FALSE(config.match.explain_once);
}

TEST(ConfigArguments, SetRefusesKeysThatThereAreNotAndValuesOutOfRange) {
  EXPECT_THAT(refusal({"--set", "extract.octave=2"}), HasSubstr("extract.octave=2"));
  EXPECT_THAT(refusal({"--set", "extract.octaves"}), HasSubstr("TABLE.KEY=VALUE"));
  EXPECT_EQ(refusal({"--set", "extract.octaves=9"}),
            "--set extract.octaves: must be an integer from 1 to 6, was \"9\"");
}

TEST(ConfigArguments, SetOfARetiredKeyWarnsOrIsRefused) {
  testing::internal::CaptureStderr();
  set_up_logging(Verbosity::kNormal);
  EXPECT_EQ(Program().run({"--set", "match.rerank=true"}), RunConfig{});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: --set: match.rerank is no longer a setting: it is always true\n");
  EXPECT_EQ(refusal({"--set", "match.rerank=false"}),
            "--set: match.rerank is no longer a setting: it is always true, because ordering by "
            "votes alone found fewer images; was false");
  EXPECT_THAT(refusal({"--set", "match.rerank"}), HasSubstr("TABLE.KEY=VALUE"));
  EXPECT_EQ(refusal({"--set", "extract.descriptor_form=centred"}),
            "--set extract.descriptor_form: must be \"plain\" or \"signed_root\", was \"centred\", "
            "which was removed because it found no more images than \"plain\"");
}

TEST(ParseCommandLine, WhatIsWrongIsToldAndWhereHelpIs) {
  EXPECT_THAT(refusal({"--octave", "9"}), HasSubstr("--octave"));
  EXPECT_THAT(refusal({"--octave", "9"}), HasSubstr("see lookalike-nothing --help"));
}

TEST(ParseCommandLine, HelpIsNoErrorAndEndsTheProgram) {
  Program program;
  testing::internal::CaptureStdout();
  program.run({"--help"});
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("Octaves of the scale space. Must be an integer from 1 to 6"));
  EXPECT_FALSE(program.goes_on());
}

}  // namespace
}  // namespace lookalike
