#include "stages/match/answers.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

Match match_of(const std::string& path) {
  Match match;
  match.image.paths = {path, "/another/copy.jpg"};
  match.score = 12.5;
  match.probability = 0.875;
  match.decision = Decision::kSameObject;
  match.evidence.inliers = 42;
  match.evidence.correlation = 0.75;
  match.moved_px = 0.5;
  match.quad = {{{1, 2}, {3.14159, 2}, {3, 4}, {1, 4}}};
  return match;
}

TEST(QueryAnswer, HasTheShapeThatIsPromised) {
  const std::vector<Match> matches = {match_of("/photos/a.jpg")};
  EXPECT_EQ(json_text(query_answer("q.jpg", matches)),
            R"({"query":"q.jpg","matches":[{"path":"/photos/a.jpg","score":12.5,)"
            R"("probability":0.875,"decision":"same object","mirrored":false,"inliers":42,)"
            R"("correlation":0.75,"moved_px":0.5,)"
            R"("quad":[[1.0,2.0],[3.142,2.0],[3.0,4.0],[1.0,4.0]]}]})");
}

TEST(QueryAnswer, NoMatchesAreAnEmptyList) {
  EXPECT_EQ(json_text(query_answer("q.jpg", {})), R"({"query":"q.jpg","matches":[]})");
}

TEST(QueryAnswer, ACorrelationThatCouldNotBeTakenIsNull) {
  std::vector<Match> matches = {match_of("a")};
  matches[0].evidence.correlation.reset();
  EXPECT_TRUE(query_answer("q", matches)["matches"][0]["correlation"].is_null());
}

TEST(QueryAnswer, AMatchWithoutAPoseHasNoQuad) {
  std::vector<Match> matches = {match_of("a")};
  matches[0].evidence.inliers = 0;
  EXPECT_TRUE(query_answer("q", matches)["matches"][0]["quad"].is_null());
}

TEST(QueryAnswer, NamesThatAreNotUtf8DoNoHarm) {
  const std::vector<Match> matches = {match_of("/photos/\xFF.jpg")};
  const std::string text = json_text(query_answer("\xC3.jpg", matches));
  EXPECT_EQ(Json::parse(text)["query"], "\uFFFD.jpg");
  EXPECT_EQ(Json::parse(text)["matches"][0]["path"], "/photos/\uFFFD.jpg");
}

TEST(QueryAnswer, IsOneLineWhateverTheNames) {
  const std::vector<Match> matches = {match_of("a\nb\"\\")};
  const std::string text = json_text(query_answer("q\n", matches));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(text)["matches"][0]["path"], "a\nb\"\\");
}

TEST(LocateAnswer, HasTheShapeThatIsPromised) {
  Located located;
  located.hits = {{.centre = {10, 20.5},
                   .angle_degrees = 30,
                   .scale = 0.5,
                   .correlation = 0.25,
                   .position_error_px = 0.125,
                   .inliers = 7,
                   .quad = {{{0, 0}, {20, 0}, {20, 41}, {0, 41}}}}};
  const std::vector<ObjectLocated> objects = {{"o.png", located}};
  EXPECT_EQ(json_text(locate_answer("s.png", objects)),
            R"({"scene":"s.png","hits":[{"object":"o.png","method":"features",)"
            R"("centre":[10.0,20.5],"position_error_px":0.125,)"
            R"("angle_degrees":30.0,"scale":0.5,"correlation":0.25,)"
            R"("quad":[[0.0,0.0],[20.0,0.0],[20.0,41.0],[0.0,41.0]]}],"not_found":[]})");
}

TEST(LocateAnswer, WhatWasNotFoundHasItsReason) {
  Located located;
  located.method = LocateMethod::kCorrelation;
  located.reason = "the object is flat";
  const std::vector<ObjectLocated> objects = {{"o", located}};
  EXPECT_EQ(json_text(locate_answer("s", objects)),
            R"({"scene":"s","hits":[],"not_found":[{"object":"o","method":"correlation",)"
            R"("reason":"the object is flat"}]})");
}

TEST(JsonText, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(json_text({{"a", std::numeric_limits<double>::infinity()}}), R"({"a":null})");
}

}  // namespace
}  // namespace lookalike
