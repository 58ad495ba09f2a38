#include "config/fields.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/image_formats.h"
#include "config/load.h"
#include "tests/content_of.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

std::string default_file() {
  return LOOKALIKE_SOURCE_DIR "/config/default.toml";
}

bool reads_all_formats() {
  return std::ranges::all_of(image_formats(), &ImageFormatInfo::is_built_in);
}

TEST(DefaultToml, IsWhatTheDescriptionsSay) {
  if (!reads_all_formats()) GTEST_SKIP() << "it has endings that this build does not read";
  EXPECT_EQ(content_of(default_file()), to_toml(RunConfig{})) << "renew it with: lookalike config";
}

TEST(DefaultToml, LoadsToTheDefaults) {
  if (!reads_all_formats()) GTEST_SKIP() << "it has endings that this build does not read";
  EXPECT_EQ(load_config(default_file()), RunConfig{});
}

TEST(ConfigFields, EveryDefaultIsAllowed) {
  for (const ConfigField& field : config_fields()) {
    EXPECT_EQ(checked(field.rule, field.get(RunConfig{})), field.get(RunConfig{})) << field.name();
  }
}

TEST(ConfigFields, EachHasItsOwnNameAndAMeaning) {
  std::set<std::string> names;
  for (const ConfigField& field : config_fields()) {
    EXPECT_TRUE(names.insert(field.name()).second) << field.name();
    EXPECT_FALSE(field.meaning.empty()) << field.name();
  }
}

// A key whose getter and setter point at different members, or at another key's, would be lost.
TEST(ConfigFields, EachChangesItsOwnMemberAndIsWrittenBack) {
  for (const ConfigField& field : config_fields()) {
    RunConfig changed;
    const FieldValue before = field.get(changed);
    FieldValue after = before;
    if (auto* flag = std::get_if<bool>(&after)) *flag = !*flag;
    if (auto* whole = std::get_if<std::int64_t>(&after)) {
      *whole = std::get<Integer>(field.rule).highest;
    }
    if (auto* number = std::get_if<double>(&after)) *number = std::get<Number>(field.rule).highest;
    if (auto* text = std::get_if<std::string>(&after)) {
      const auto* choice = std::get_if<Choice>(&field.rule);
      if (choice) {
        *text = *text == choice->words.front() ? choice->words.back() : choice->words.front();
      } else {
        *text = "/some \"text\"\t\\";
      }
    }
    if (auto* list = std::get_if<std::vector<std::string>>(&after)) *list = {"/one", "/two"};
    field.set(changed, after);
    EXPECT_EQ(field.get(changed), after) << field.name();
    EXPECT_NE(changed, RunConfig{}) << field.name();
    EXPECT_EQ(parse_config(to_toml(changed), "/run.toml"), changed) << field.name();
    field.set(changed, before);
    EXPECT_EQ(changed, RunConfig{}) << field.name();
  }
}

TEST(SetField, ReadsTextAsACommandLineHasIt) {
  RunConfig config;
  set_field(config, config_field("extract.octaves"), "5", "--octaves");
  set_field(config, config_field("extract.hessian_threshold"), "1e3", "--hessian-threshold");
  set_field(config, config_field("extract.upright"), "true", "--upright");
  set_field(config, config_field("codebook.words"), "auto", "--words");
  set_field(config, config_field("images.extensions"), "jpg,png", "--extensions");
  EXPECT_EQ(config.extract.octaves, 5U);
  EXPECT_EQ(config.extract.hessian_threshold, 1000);
  EXPECT_TRUE(config.extract.upright);
  EXPECT_EQ(config.codebook.words, 0U);
  EXPECT_THAT(config.images.extensions, testing::ElementsAre("jpg", "png"));
}

TEST(SetField, SaysWhatIsAllowed) {
  RunConfig config;
  for (const std::string wrong : {"9", "-1", "", "4x", "99999999999999999999", "4.0"}) {
    try {
      set_field(config, config_field("extract.octaves"), wrong, "--octaves");
      ADD_FAILURE() << "accepted " << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(std::string(error.what()),
                "--octaves: must be an integer from 1 to 6, was \"" + wrong + "\"");
    }
  }
  EXPECT_EQ(config, RunConfig{});
}

TEST(ConfigField, AnUnknownNameIsABug) {
  EXPECT_THROW(config_field("extract.octave"), Error);
}

}  // namespace
}  // namespace lookalike
