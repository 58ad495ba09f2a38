#include "pipeline/answers.h"

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
  QueryResult result{{match_of("/photos/a.jpg")}, 3};
  result.matches[0].gone = {"/another/copy.jpg"};
  EXPECT_EQ(json_text(query_answer("q.jpg", result)),
            R"({"query":"q.jpg","found":3,"matches":[{"path":"/photos/a.jpg",)"
            R"("paths":["/photos/a.jpg","/another/copy.jpg"],"gone":["/another/copy.jpg"],)"
            R"("score":12.5,)"
            R"("probability":0.875,"decision":"same object","mirrored":false,"inliers":42,)"
            R"("correlation":0.75,"moved_px":0.5,)"
            R"("quad":[[1.0,2.0],[3.142,2.0],[3.0,4.0],[1.0,4.0]]}]})");
}

TEST(QueryAnswer, NoMatchesAreAnEmptyList) {
  EXPECT_EQ(json_text(query_answer("q.jpg", {})), R"({"query":"q.jpg","found":0,"matches":[]})");
}

TEST(QueryAnswer, IsNamedByTheFirstFileThatIsThere) {
  QueryResult result{{match_of("/photos/a.jpg")}, 1};
  result.matches[0].gone = {"/photos/a.jpg"};
  EXPECT_EQ(query_answer("q", result)["matches"][0]["path"], "/another/copy.jpg");
  result.matches[0].gone = result.matches[0].image.paths;
  EXPECT_EQ(query_answer("q", result)["matches"][0]["path"], "/photos/a.jpg");
}

TEST(QueryAnswer, ACorrelationThatCouldNotBeTakenIsNull) {
  QueryResult result{{match_of("a")}, 1};
  result.matches[0].evidence.correlation.reset();
  EXPECT_TRUE(query_answer("q", result)["matches"][0]["correlation"].is_null());
}

TEST(QueryAnswer, AMatchWithoutAPoseHasNoQuad) {
  QueryResult result{{match_of("a")}, 1};
  result.matches[0].evidence.inliers = 0;
  EXPECT_TRUE(query_answer("q", result)["matches"][0]["quad"].is_null());
}

TEST(QueryAnswer, NamesThatAreNotUtf8AreFileUris) {
  const QueryResult result{{match_of("/photos/\xFF.jpg")}, 1};
  const std::string text = json_text(query_answer("/q/\xC3.jpg", result));
  EXPECT_EQ(Json::parse(text)["query"], "file:///q/%C3.jpg");
  EXPECT_EQ(Json::parse(text)["matches"][0]["path"], "file:///photos/%FF.jpg");
  EXPECT_EQ(Json::parse(text)["matches"][0]["paths"][0], "file:///photos/%FF.jpg");
}

TEST(QueryAnswer, IsOneLineWhateverTheNames) {
  const QueryResult result{{match_of("a\nb\"\\")}, 1};
  const std::string text = json_text(query_answer("q\n", result));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(text)["matches"][0]["path"], "a\nb\"\\");
}

TEST(FailedAnswer, SaysWhatWasAskedAndWhyItWasNotAnswered) {
  SkippedFile why;
  why.reason = "undecodable";
  why.detail = "it ends early";
  EXPECT_EQ(json_text(failed_answer("query", "q.jpg", why)),
            R"({"query":"q.jpg","error":{"kind":"input","reason":"undecodable",)"
            R"("message":"it ends early"}})");
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
