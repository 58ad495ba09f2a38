#include "base/ignore_rules.h"

#include <string>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

bool file_is_ignored(const std::string& lines, const std::string& path) {
  IgnoreRules rules;
  rules.add(lines, "/photos");
  return rules.ignores("/photos/" + path, false);
}

bool folder_is_ignored(const std::string& lines, const std::string& path) {
  IgnoreRules rules;
  rules.add(lines, "/photos");
  return rules.ignores("/photos/" + path, true);
}

TEST(IgnoreRules, WithoutPatternsNothingIsIgnored) {
  EXPECT_FALSE(file_is_ignored("", "a.jpg"));
  EXPECT_FALSE(file_is_ignored("# a.jpg\n\n  \n", "a.jpg"));
}

TEST(IgnoreRules, APatternWithoutASlashMatchesNamesAtAnyDepth) {
  for (const char* path : {"small-1.jpg", "a/b/small-.jpg"}) {
    EXPECT_TRUE(file_is_ignored("small-*.jpg", path)) << path;
  }
  for (const char* path : {"xsmall-1.jpg", "small-1.png", "small-1.jpg/a.png"}) {
    EXPECT_FALSE(file_is_ignored("small-*.jpg", path)) << path;
  }
}

TEST(IgnoreRules, APatternWithASlashMatchesFromItsFolderOn) {
  EXPECT_TRUE(file_is_ignored("/a.jpg", "a.jpg"));
  EXPECT_FALSE(file_is_ignored("/a.jpg", "b/a.jpg"));
  EXPECT_TRUE(file_is_ignored("b/*.jpg", "b/a.jpg"));
  EXPECT_FALSE(file_is_ignored("b/*.jpg", "b/c/a.jpg"));
  EXPECT_FALSE(file_is_ignored("b/*.jpg", "c/b/a.jpg"));
}

TEST(IgnoreRules, ASlashAtTheEndMeansFolders) {
  EXPECT_TRUE(folder_is_ignored("old/", "2019/old"));
  EXPECT_FALSE(file_is_ignored("old/", "2019/old"));
}

TEST(IgnoreRules, TwoStarsCrossFolders) {
  EXPECT_TRUE(file_is_ignored("**/raw/a.jpg", "raw/a.jpg"));
  EXPECT_TRUE(file_is_ignored("**/raw/a.jpg", "x/y/raw/a.jpg"));
  EXPECT_TRUE(file_is_ignored("x/**/a.jpg", "x/a.jpg"));
  EXPECT_TRUE(file_is_ignored("x/**/a.jpg", "x/y/z/a.jpg"));
  EXPECT_FALSE(file_is_ignored("x/**/a.jpg", "y/a.jpg"));
  EXPECT_TRUE(file_is_ignored("x/**", "x/y/a.jpg"));
  EXPECT_FALSE(file_is_ignored("x/**", "xy/a.jpg"));
}

TEST(IgnoreRules, ClassesMayBeNamed) {
  EXPECT_TRUE(file_is_ignored("[[:upper:]]*", "A.jpg"));
  EXPECT_FALSE(file_is_ignored("[[:upper:]]*", "a.jpg"));
  EXPECT_TRUE(file_is_ignored("[^[:digit:]_]*", "a.jpg"));
  EXPECT_FALSE(file_is_ignored("[^[:digit:]_]*", "1.jpg"));
  EXPECT_FALSE(file_is_ignored("[^[:digit:]_]*", "_.jpg"));
}

TEST(IgnoreRules, AByteOrderMarkIsNoPartOfTheFirstPattern) {
  EXPECT_TRUE(file_is_ignored("\xef\xbb\xbf*.png", "a.png"));
}

TEST(IgnoreRules, QuestionMarksClassesAndBackslashes) {
  EXPECT_TRUE(file_is_ignored("?.jpg", "a.jpg"));
  EXPECT_FALSE(file_is_ignored("?.jpg", "ab.jpg"));
  EXPECT_TRUE(file_is_ignored("[a-c].jpg", "b.jpg"));
  EXPECT_FALSE(file_is_ignored("[!a-c].jpg", "b.jpg"));
  EXPECT_TRUE(file_is_ignored("[]x].jpg", "].jpg"));
  EXPECT_TRUE(file_is_ignored("[a.jpg", "[a.jpg"));
  EXPECT_TRUE(file_is_ignored("\\*.jpg", "*.jpg"));
  EXPECT_FALSE(file_is_ignored("\\*.jpg", "a.jpg"));
  EXPECT_TRUE(file_is_ignored("\\#a", "#a"));
}

TEST(IgnoreRules, TheLastPatternThatMatchesDecides) {
  EXPECT_FALSE(file_is_ignored("*.jpg\n!keep.jpg", "keep.jpg"));
  EXPECT_TRUE(file_is_ignored("*.jpg\n!keep.jpg", "a.jpg"));
  EXPECT_TRUE(file_is_ignored("!keep.jpg\n*.jpg", "keep.jpg"));
}

TEST(IgnoreRules, EndOfALineIsTrimmed) {
  EXPECT_TRUE(file_is_ignored("a.jpg \r\n", "a.jpg"));
  EXPECT_TRUE(file_is_ignored("a\\ ", "a "));
}

TEST(IgnoreRules, HoldBelowTheirFolderOnly) {
  IgnoreRules rules;
  rules.add("*.jpg", "/photos/a");
  EXPECT_TRUE(rules.ignores("/photos/a/x.jpg", false));
  EXPECT_FALSE(rules.ignores("/photos/ab/x.jpg", false));
}

TEST(IgnoreRules, ManyStarsTakeNoLongTime) {
  const std::string pattern = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(file_is_ignored(pattern, std::string(200, 'a')));
}

}  // namespace
}  // namespace lookalike
