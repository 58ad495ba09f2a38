#include "pipeline/index_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Codebook any_codebook() {
  Codebook codebook;
  codebook.words.resize(64);
  codebook.projection.resize(kSignatureBits * 64);
  codebook.thresholds.resize(kSignatureBits);
  return codebook;
}

TEST(Settings, ExtractOptionsComeBack) {
  ExtractOptions options;
  options.hessian_threshold = 123.456789012345;
  options.brighten_to = 90;
  options.octaves = 3;
  options.layers = 2;
  options.max_interval = 8;
  options.descriptor_size = 128;
  options.upright = true;
  options.max_features = 77;
  options.longest_side_px = 640;
  options.enlarge_to_px = 320;
  options.descriptor_form = "plain";
  EXPECT_EQ(extract_options_from(settings_of(options, any_codebook())), options);
}

TEST(Settings, AnIndexsValueIsKeptInPlaceOfTheDefault) {
  Settings index = settings_of({}, any_codebook());
  index["extract.max_interval"] = "0";
  ExtractOptions defaults;
  EXPECT_THAT(keep_settings(defaults, index), ElementsAre("extract.max_interval"));
  EXPECT_EQ(defaults.max_interval, 0U);
  EXPECT_EQ(defaults.brighten_to, ExtractOptions().brighten_to);
  EXPECT_THAT(keep_settings(defaults, index), IsEmpty()) << "has the value already";

  index["extract.max_features"] = "77";
  EXPECT_THAT(keep_settings(defaults, index), ElementsAre("extract.max_features"));
  EXPECT_EQ(defaults.max_features, 77U);

  ExtractOptions asked;
  asked.max_interval = 4;
  asked.max_features = 78;
  EXPECT_THAT(keep_settings(asked, index), IsEmpty());
  EXPECT_EQ(asked.max_interval, 4U);
}

TEST(Settings, CodebookIsNamedByItsContent) {
  Codebook codebook = any_codebook();
  const Settings before = settings_of({}, codebook);
  codebook.words[0] = 1;
  EXPECT_NE(settings_of({}, codebook), before);
}

TEST(Settings, MissingUnknownAndWrongValuesAreStorageErrors) {
  const Settings good = settings_of({}, any_codebook());
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"extract.octaves", ""}, {"extract.octaves", "many"}, {"extract.method", "surf-9"}}) {
    Settings settings = good;
    if (value.empty()) {
      settings.erase(key);
    } else {
      settings[key] = value;
    }
    try {
      extract_options_from(settings);
      FAIL() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kStorage);
      EXPECT_THAT(error.what(), HasSubstr(key));
    }
  }
}

}  // namespace
}  // namespace lookalike
