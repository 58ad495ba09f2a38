// JSON on stdout against docs/schema/. run_program() checks the JSON of all tests; here follow the
// commands that no other test runs, and tests of the validator.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/end_to_end/json_schema.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SchemaTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(at("posters"));
    for (std::uint64_t i = 0; i < 8; ++i) {
      cv::imwrite(at("posters/" + std::to_string(i) + ".png"), draw_poster(i, {300, 400}));
    }
    folder_->write("posters/broken.png", "not a picture");
    const ProgramResult indexed =
        run_program("lookalike", {"index", "-q", at("posters"), "-d", at("index.db")});
    ASSERT_EQ(indexed.exit_code, 1) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return (folder_->path() / name).native(); }
  // Returns the first line of JSON, which run_program() has checked against its schema.
  static json run(std::vector<std::string> words) {
    const ProgramResult result = run_program("lookalike", words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out.substr(0, result.out.find('\n')));
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> SchemaTest::folder_;

TEST_F(SchemaTest, EachCommandPrintsWhatItsSchemaSays) {
  const std::string poster = at("posters/3.png");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", "--json", "-d", at("index.db")},
        {"calibrate", "-q", "--json", "-d", at("index.db")},
        {"devices", "--json"},
        {"explain", "--json", "-d", at("index.db"), poster, "1"},
        {"explain", "--format", "json", "-d", at("index.db"), poster, poster},
        {"features", "--format", "json", poster},
        {"folders", "--json", "-d", at("index.db")},
        {"list", "--json", "-d", at("index.db")},
        {"locate", "--json", "--object", poster, "--scene", poster},
        {"quarantine", "--json", "-d", at("index.db")},
        {"query", "--json", "--all", "-d", at("index.db"), poster},
        {"runs", "--json", "-d", at("index.db")},
        {"show", "--json", "-d", at("index.db")},
        {"show", "--json", "--content-hash", "-d", at("index.db")},
        {"show", "--json", "-d", at("index.db"), poster}}) {
    EXPECT_EQ(run(words)["schema"], 1) << words.front();
  }
}

TEST_F(SchemaTest, AnUndocumentedFieldIsAFault) {
  json answer = run({"query", "--json", "-d", at("index.db"), at("posters/3.png")});
  EXPECT_THAT(output_faults("query", answer.dump()), IsEmpty());
  answer["matches"][0]["colour"] = "red";
  EXPECT_THAT(output_faults("query", answer.dump()),
              ElementsAre("/matches/0: has an undocumented \"colour\""));
}

TEST_F(SchemaTest, EveryCommandWithJsonHasASchemaAndTheOtherWayRound) {
  std::vector<std::string> with_json;
  for (const std::string& command : commands_of("lookalike")) {
    const std::string text = run_program("lookalike", {command, "--help"}).out;
    if (text.find("--json") != text.npos) with_json.push_back(command);
  }
  std::vector<std::string> with_schema;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOOKALIKE_SOURCE_DIR "/docs/schema")) {
    with_schema.push_back(entry.path().stem());
  }
  EXPECT_THAT(with_json, testing::UnorderedElementsAreArray(with_schema));
}

TEST(JsonSchema, FindsEachKindOfFault) {
  const json schema = json::parse(R"({
    "$defs": {"size": {"type": "integer", "minimum": 1, "maximum": 9}},
    "type": "object", "required": ["a"], "additionalProperties": false,
    "properties": {
      "a": {"$ref": "#/$defs/size"},
      "b": {"type": ["string", "null"]},
      "c": {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 1, "maxItems": 2},
      "d": {"const": 1},
      "e": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
      "f": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
      "g": {"type": "object", "additionalProperties": {"type": "boolean"}}}})");
  const auto faults = [&](const char* text) { return schema_faults(schema, json::parse(text)); };
  EXPECT_THAT(faults(R"({"a": 1, "b": null, "c": ["x"], "d": 1, "e": 0.5, "f": 1,
                         "g": {"z": true}})"),
              IsEmpty());
  EXPECT_THAT(faults("[]"), ElementsAre(HasSubstr("is not of type \"object\"")));
  EXPECT_THAT(faults("{}"), ElementsAre(": lacks \"a\""));
  EXPECT_THAT(faults(R"({"a": 0})"), ElementsAre("/a: is below its minimum"));
  EXPECT_THAT(faults(R"({"a": 10})"), ElementsAre("/a: is above its maximum"));
  EXPECT_THAT(faults(R"({"a": 1.5})"), ElementsAre(HasSubstr("/a: is not of type \"integer\"")));
  EXPECT_THAT(faults(R"({"a": 1, "b": 2})"), ElementsAre(HasSubstr("/b: is not of type")));
  EXPECT_THAT(faults(R"({"a": 1, "c": []})"), ElementsAre("/c: has too few items"));
  EXPECT_THAT(faults(R"({"a": 1, "c": ["x", "x", "x"]})"), ElementsAre("/c: has too many items"));
  EXPECT_THAT(faults(R"({"a": 1, "c": ["z"]})"), ElementsAre(HasSubstr("/c/0: is none of")));
  EXPECT_THAT(faults(R"({"a": 1, "d": 2})"), ElementsAre("/d: is not 1"));
  EXPECT_THAT(faults(R"({"a": 1, "e": 1})"), ElementsAre("/e: fits more than one alternative"));
  EXPECT_THAT(faults(R"({"a": 1, "f": "x"})"), ElementsAre(HasSubstr("/f: is not of type")));
  EXPECT_THAT(faults(R"({"a": 1, "g": {"z": 1}})"), ElementsAre(HasSubstr("/g/z: is not of type")));
  EXPECT_THAT(faults(R"({"a": 1, "h": 1})"), ElementsAre(": has an undocumented \"h\""));
  EXPECT_THROW(schema_faults({{"pattern", "x"}}, 1), std::runtime_error);
}

}  // namespace
}  // namespace lookalike
