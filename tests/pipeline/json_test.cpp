#include "pipeline/json.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMany = 1'000'000;

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

bool is_read(const std::string& text, std::size_t most_values = kMany) {
  const auto plain = parse_json<nlohmann::json>(text, most_values);
  EXPECT_EQ(parse_json<Json>(text, most_values).is_discarded(), plain.is_discarded());
  return !plain.is_discarded();
}

TEST(ParseJson, ReadsWholeTextsAlone) {
  EXPECT_EQ(parse_json<Json>(R"({"b":[1,"x"],"a":null})").dump(), R"({"b":[1,"x"],"a":null})");
  EXPECT_EQ(parse_json<Json>(" 7\n"), 7);
  for (const char* text : {"", "[", "[1}", "{}\n{}", "]", "nul", "\"", "[1,]"}) {
    EXPECT_FALSE(is_read(text)) << text;
  }
}

TEST(ParseJson, LimitsTheDepthAnywhere) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair(R"({"a":)", "}")}) {
    const std::string inner = open == std::string("[") ? "" : "1";
    const std::string deep =
        repeated(open, kMostJsonDepth) + inner + repeated(close, kMostJsonDepth);
    EXPECT_TRUE(is_read(deep));
    EXPECT_FALSE(is_read(open + deep + close));
    EXPECT_FALSE(is_read(R"({"log":"x","files":[)" + deep + "]}"));
    EXPECT_FALSE(is_read(repeated(open, kMany))) << "without ends";
  }
  EXPECT_TRUE(is_read("[" + repeated("[[],[]],", 1000) + "1]")) << "beside each other";
}

TEST(ParseJson, BracketsInStringsAreText) {
  EXPECT_TRUE(is_read('"' + repeated("[", 1000) + '"'));
  EXPECT_TRUE(is_read(R"(["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\\"])"));
  EXPECT_FALSE(is_read(R"(["\\",)" + repeated("[", 40) + repeated("]", 40) + "]"));
}

TEST(ParseJson, LimitsTheNumberOfValues) {
  EXPECT_TRUE(is_read("[1,2,[],{}]", 6));
  EXPECT_FALSE(is_read("[1,2,[],{}]", 5));
  EXPECT_FALSE(is_read("[" + repeated("{},", kMany) + "1]"));
}

TEST(ParseJson, LimitsTheMembersOfAnObject) {
  const auto object = [](std::size_t members) {
    std::string text = "{";
    for (std::size_t i = 0; i < members; ++i)
      text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    return text + '}';
  };
  EXPECT_TRUE(is_read(object(kMostJsonMembers)));
  EXPECT_FALSE(is_read(object(kMostJsonMembers + 1)));
  EXPECT_TRUE(is_read('[' + object(kMostJsonMembers) + ',' + object(kMostJsonMembers) + ']'));
}

TEST(ParseJson, LimitsStringsNumbersAndSpaces) {
  EXPECT_TRUE(is_read('"' + repeated("a", kMostJsonTokenBytes - 1) + '"'));
  EXPECT_TRUE(is_read("[1," + repeated(" ", kMostJsonTokenBytes - 2) + "1]"));
  for (const char* text : {"a", "\\n", "\\\""}) {
    EXPECT_FALSE(is_read("[\"" + repeated(text, kMostJsonTokenBytes + 1) + "\"]")) << text;
  }
  EXPECT_FALSE(is_read(repeated("1", kMostJsonTokenBytes + 2)));
  EXPECT_FALSE(is_read("[" + repeated(" ", kMostJsonTokenBytes + 2) + "]"));
}

}  // namespace
}  // namespace lookalike
