#include "config/load.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/fields.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Returns the error of parse_config().
std::string refusal(const std::string& text) {
  try {
    parse_config(text, "run.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(LoadConfig, AnEmptyFileGivesTheDefaults) {
  EXPECT_EQ(parse_config("", "run.toml"), RunConfig{});
  EXPECT_EQ(parse_config("[extract]\n[match]\n", "run.toml"), RunConfig{});
}

TEST(LoadConfig, ReadsEveryType) {
  const RunConfig config = parse_config(
      "[images]\nextensions = ['jpg', 'png']\n"
      "[extract]\nhessian_threshold = 400.5\noctaves = 5\nupright = true\n"
      "[device]\non_out_of_memory = 'stop'\n"
      "[codebook]\nseed = 9223372036854775807\n",
      "run.toml");
  EXPECT_THAT(config.images.extensions, ElementsAre("jpg", "png"));
  EXPECT_EQ(config.extract.hessian_threshold, 400.5);
  EXPECT_EQ(config.extract.octaves, 5U);
  EXPECT_TRUE(config.extract.upright);
  EXPECT_EQ(config.device.on_out_of_memory, "stop");
  EXPECT_EQ(config.codebook.seed, 9223372036854775807U);
}

TEST(LoadConfig, AnIntegerWillDoForAnyNumber) {
  EXPECT_EQ(parse_config("extract.hessian_threshold = 400", "f").extract.hessian_threshold, 400);
}

TEST(LoadConfig, WordsMayBeAutoOrANumber) {
  EXPECT_EQ(parse_config("codebook.words = 'auto'", "f").codebook.words, 0U);
  EXPECT_EQ(parse_config("codebook.words = 1048576", "f").codebook.words, 1048576U);
  EXPECT_EQ(parse_config("codebook.cells = 'auto'", "f").codebook.cells, 0U);
  EXPECT_EQ(parse_config("codebook.cells = 512", "f").codebook.cells, 512U);
  EXPECT_THAT(refusal("codebook.words = 'some'"),
              EndsWith("codebook.words: must be \"auto\" or an integer from 1 to 1048576 words, "
                       "was 'some'"));
}

TEST(LoadConfig, ANumberMayBeAutoToo) {
  EXPECT_EQ(parse_config("locate.turn_step_degrees = 'auto'", "f").locate.turn_step_degrees, 0);
  EXPECT_EQ(parse_config("locate.turn_step_degrees = 2.5", "f").locate.turn_step_degrees, 2.5);
  EXPECT_THAT(refusal("locate.turn_step_degrees = 91"),
              EndsWith("locate.turn_step_degrees: must be \"auto\" or a number from 0.001 to 90 "
                       "degrees, was 91"));
}

TEST(LoadConfig, ARangeMustNotEndBeforeItBegins) {
  RunConfig config;
  check_ranges(config);
  config.locate.min_turn_degrees = config.locate.max_turn_degrees;
  check_ranges(config);
  config.locate.min_turn_degrees = 200;
  try {
    check_ranges(config);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(
        error.what(),
        "locate.min_turn_degrees: must not be above locate.max_turn_degrees, 180, was 200");
  }
  config.locate = {.min_scale = 2, .max_scale = 1};
  EXPECT_THROW(check_ranges(config), Error);
}

TEST(LoadConfig, FileNamesAreRelativeToTheFile) {
  const RunConfig config =
      parse_config("images.folders = ['photos', '../more', '/all']\nstore.database = 'index.db'\n",
                   "/home/user/runs/run.toml");
  EXPECT_THAT(config.images.folders,
              ElementsAre("/home/user/runs/photos", "/home/user/more", "/all"));
  EXPECT_EQ(config.store.database, "/home/user/runs/index.db");
}

TEST(LoadConfig, FileNamesThatAreNotUtf8AreUris) {
  const RunConfig config =
      parse_config("images.folders = ['file:///photos/a%E4']\n", "/home/user/run.toml");
  ASSERT_THAT(config.images.folders, ElementsAre("/photos/a\xE4"));
  const ConfigField& field = config_field("images.folders");
  EXPECT_EQ(to_toml(field.rule, field.get(config)), "[\"file:///photos/a%E4\"]");
}

TEST(LoadConfig, ABareFileNameIsRelativeToTheWorkingFolder) {
  EXPECT_EQ(parse_config("store.database = 'index.db'", "run.toml").store.database,
            (std::filesystem::current_path() / "index.db").string());
}

TEST(LoadConfig, AnUnknownKeyNamesTheNearestKnownOne) {
  EXPECT_EQ(refusal("[extract]\n  hesian_threshold = 100\n"),
            "run.toml:2:3: extract.hesian_threshold: unknown key; "
            "did you mean \"hessian_threshold\"?");
}

TEST(LoadConfig, AnUnknownKeyLikeNoOtherNamesAll) {
  EXPECT_EQ(refusal("[variance]\ncolour = 1\n"),
            "run.toml:2:1: variance.colour: unknown key; known are blank_below");
}

TEST(LoadConfig, AnUnknownTableNamesTheNearestKnownOne) {
  EXPECT_EQ(refusal("\n[matches]\n"),
            "run.toml:2:2: matches: unknown table; did you mean \"match\"?");
}

TEST(LoadConfig, AKeyOutsideOfTablesIsAnUnknownTable) {
  EXPECT_THAT(refusal("octaves = 3"), StartsWith("run.toml:1:1: octaves: unknown table"));
}

TEST(LoadConfig, ATableMustBeATable) {
  EXPECT_EQ(refusal("extract = 3"), "run.toml:1:11: extract: must be a table, [extract], was 3");
}

TEST(LoadConfig, OutOfRangeNamesTheRangeAndTheUnit) {
  EXPECT_EQ(refusal("[extract]\nlongest_side_px = 20"),
            "run.toml:2:19: extract.longest_side_px: must be an integer from 64 to 16384 px, "
            "was 20");
  EXPECT_THAT(refusal("[extract]\nhessian_threshold = -1"), HasSubstr("from 0 to 1000000, was -1"));
  EXPECT_THAT(refusal("[extract]\nhessian_threshold = nan"), EndsWith("was nan"));
  EXPECT_THAT(refusal("[extract]\ndescriptor_size = 96"), EndsWith("64 or 128 numbers, was 96"));
  EXPECT_THAT(refusal("[device]\non_out_of_memory = 'wait'"),
              EndsWith("must be \"cpu\" or \"stop\", was 'wait'"));
}

TEST(LoadConfig, WrongTypesAreRefused) {
  EXPECT_THAT(refusal("extract.octaves = 4.5"), EndsWith("was 4.5"));
  EXPECT_THAT(refusal("extract.octaves = '4'"), EndsWith("was '4'"));
  EXPECT_THAT(refusal("extract.upright = 1"), EndsWith("must be true or false, was 1"));
  EXPECT_THAT(refusal("images.folders = 'photos'"),
              EndsWith("must be a list of strings, was 'photos'"));
  EXPECT_THAT(refusal("images.folders = ['photos', 3]"), HasSubstr("a list of strings"));
  EXPECT_THAT(refusal("[extract.octaves]"), EndsWith("was a table"));
}

TEST(LoadConfig, InvalidTomlIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("[extract]\noctaves = \n"), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal("[extract]\noctaves = 3\noctaves = 4\n"), StartsWith("run.toml:3:"));
}

TEST(LoadConfig, AMissingFileIsAUsageError) {
  try {
    load_config("/nowhere/run.toml");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()),
              "/nowhere/run.toml: cannot read the configuration: No such file or directory");
  }
}

TEST(LoadConfig, AFolderIsNoConfiguration) {
  EXPECT_THROW(load_config(std::filesystem::temp_directory_path()), Error);
  EXPECT_THROW(load_config("/dev/zero"), Error);
}

RunConfig with(const std::string& setting) {
  RunConfig config;
  apply_setting(config, setting, "--set");
  return config;
}

std::string setting_refusal(const std::string& setting) {
  try {
    with(setting);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

TEST(ApplySetting, TakesWhatAConfigurationFileHolds) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(with(R"(images.extensions=["jpg", "heic"])").images.extensions, (Texts{"jpg", "heic"}));
  EXPECT_EQ(with("images.folders=[]").images.folders, Texts{});
  EXPECT_EQ(with(R"(codebook.words="auto")").codebook.words, 0U);
  EXPECT_EQ(with("codebook.words=1_024").codebook.words, 1024U);
  EXPECT_EQ(with("match.min_probability=0.5").match.min_probability, 0.5);
  EXPECT_TRUE(with("match.mirror=true").match.mirror);
  EXPECT_EQ(with(R"(device.choice=":CPU:")").device.choice, ":CPU:");
}

TEST(ApplySetting, EveryDefaultThatIsPrintedCanBeSet) {
  for (const ConfigField& field : config_fields()) {
    const std::string value = to_toml(field.rule, field.get(RunConfig{}));
    EXPECT_EQ(with(field.name() + "=" + value), RunConfig{}) << field.name();
  }
}

TEST(ApplySetting, FileNamesAreRelativeToTheCurrentFolder) {
  const std::string folder = std::filesystem::current_path();
  EXPECT_EQ(with("store.database=index.db").store.database, folder + "/index.db");
  EXPECT_THAT(with(R"(images.folders=["a", "/b"])").images.folders,
              ElementsAre(folder + "/a", "/b"));
}

TEST(ApplySetting, StringsMayLackTheirQuotes) {
  EXPECT_EQ(with("images.extensions=jpg,heic").images.extensions,
            (std::vector<std::string>{"jpg", "heic"}));
  EXPECT_EQ(with("codebook.words=auto").codebook.words, 0U);
  EXPECT_EQ(with("device.choice=:CPU:").device.choice, ":CPU:");
  EXPECT_EQ(with("device.choice=1").device.choice, "1");
  EXPECT_EQ(with("store.database=/a b=c.db").store.database, "/a b=c.db");
}

TEST(ApplySetting, DamagedTomlIsRefused) {
  EXPECT_EQ(setting_refusal(R"(images.extensions=["jpg")"),
            R"(--set images.extensions: must be a list of strings in TOML, was ["jpg")");
  EXPECT_THAT(setting_refusal(R"(images.extensions=["jpg", 1])"), HasSubstr("a list of strings"));
  EXPECT_THAT(setting_refusal(R"(device.choice="CPU)"), HasSubstr("a string in TOML"));
}

TEST(ApplySetting, AnUnknownKeyNamesTheNearestKnownOne) {
  EXPECT_EQ(setting_refusal("images.foldres=/a"),
            "--set: unknown key in \"images.foldres=/a\"; did you mean \"images.folders\"?");
  EXPECT_THAT(setting_refusal("octaves=3"), HasSubstr("did you mean \"extract.octaves\"?"));
  EXPECT_THAT(setting_refusal("nothing.like.it=3"), HasSubstr("`lookalike config` lists all keys"));
}

}  // namespace
}  // namespace lookalike
