#include "tools/report/page.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(EscapeHtml, HostileNamesShowAsTheyAre) {
  EXPECT_EQ(escape_html("<img src=x onerror=alert(1)>\"'&"),
            "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;");
}

TEST(EscapeHtml, LeavesOtherScriptsAlone) {
  EXPECT_EQ(escape_html("Zürich 東京 🌍"), "Zürich 東京 🌍");
}

TEST(EscapeHtml, ReplacesWhatCannotBeSeen) {
  EXPECT_EQ(escape_html(std::string("a\0b\nc\x7F", 6)), "a\uFFFDb\uFFFDc\uFFFD");
  EXPECT_EQ(escape_html("photo\u202Egpj.exe"), "photo\uFFFDgpj.exe");
  EXPECT_EQ(escape_html("\u0085"), "\uFFFD");
}

TEST(EscapeHtml, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(escape_html("a\xFF\x80z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(escape_html("\xC3"), "\uFFFD") << "cut short";
  EXPECT_EQ(escape_html("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(escape_html("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(escape_html("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
}

TEST(EscapeHtml, LeavesTheLargestAndSmallestOfEachLengthAlone) {
  const std::string text = "\u00A0\u07FF\u0800\uFFFF\U00010000\U0010FFFF";
  EXPECT_EQ(escape_html(text), text);
  EXPECT_EQ(escape_html(""), "");
}

TEST(EscapeScript, LeavesJsonThatEndsNoScript) {
  EXPECT_EQ(escape_script(R"({"a": "</script>'&"})"), R"({"a": "\u003c/script>'&"})");
  EXPECT_EQ(escape_script("a\u202E\xFF"), "a\uFFFD\uFFFD");
}

TEST(Base64, KnownAnswers) {
  const auto encoded = [](const std::string& text) {
    return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xFF\xFE\xFD"), "//79");
}

}  // namespace
}  // namespace lookalike
