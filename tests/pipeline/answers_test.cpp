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
  match.pose.moved_px = 0.5;
  match.pose.quad = {{{1, 2}, {3.14159, 2}, {3, 4}, {1, 4}}};
  return match;
}

TEST(QueryAnswer, HasTheShapeThatIsPromised) {
  QueryResult result{.matches = {match_of("/photos/a.jpg")}, .total = 3, .found = 2, .places = 2};
  result.matches[0].image.id = 7;
  result.matches[0].place = 1;
  result.matches[0].gone = {"/another/copy.jpg"};
  EXPECT_EQ(
      json_text(query_answer("q.jpg", result)),
      R"({"query":"q.jpg","headline":"1 shows it, 1 of 2 places listed","found":2,"total":3,)"
      R"("places":2,"perhaps_mirrored":false,)"
      R"("matches":[{"id":7,)"
      R"("path":"/photos/a.jpg","page":1,)"
      R"("paths":["/photos/a.jpg","/another/copy.jpg"],"gone":["/another/copy.jpg"],)"
      R"("place":1,"score":12.5,"probability":0.875,"decision":"same_object","via":[],)"
      R"("rival":null,"mirrored":false,)"
      R"("rejected":false,"inliers":42,)"
      R"("correlation":0.75,"evidence":{"votes_excess":0.0,"shortlist":0,"pairs":0,)"
      R"("effective_inliers":0,"coherence":0.0,"squeeze":1.0,"detail":null,"colour":null,"own_agreement":null,)"
      R"("difference":null,"other_content":[]},"moved_px":0.5,)"
      R"("quad":[[1.0,2.0],[3.142,2.0],[3.0,4.0],[1.0,4.0]],)"
      R"("taken":null,"camera":null}]})");
}

TEST(QueryAnswer, SaysHowARelatedImageWasFound) {
  QueryResult result{.matches = {match_of("/photos/a.jpg")}};
  result.matches[0].decision = Decision::kRelated;
  result.matches[0].via.resize(1);
  result.matches[0].via[0].id = 3;
  result.matches[0].via[0].paths = {"/photos/b.jpg", "/photos/c.jpg"};
  const Json match = query_answer("q.jpg", result)["matches"][0];
  EXPECT_EQ(match["decision"], "related");
  EXPECT_EQ(json_text(match["via"]), R"([{"id":3,"path":"/photos/b.jpg"}])");
}

TEST(QueryAnswer, NoMatchesAreAnEmptyList) {
  EXPECT_EQ(json_text(query_answer("q.jpg", {})),
            R"({"query":"q.jpg","headline":"nothing found","found":0,"total":0,"places":0,)"
            R"("perhaps_mirrored":false,"matches":[]})");
}

TEST(QueryAnswer, OnlyAnUncertainMatchWithContradictingPixelsMayBeMirrored) {
  QueryResult result{.matches = {match_of("/photos/a.jpg")}, .total = 1};
  Match& best = result.matches.front();
  best.decision = Decision::kSimilar;
  best.probability = 0.36;
  best.evidence.correlation = -0.28;
  EXPECT_TRUE(may_be_mirrored(result));
  EXPECT_EQ(query_answer("q.jpg", result)["perhaps_mirrored"], true);
  best.evidence.correlation = 0.1;
  EXPECT_FALSE(may_be_mirrored(result));
  best.evidence.correlation = -0.28;
  best.pose.mirrored = true;
  EXPECT_FALSE(may_be_mirrored(result));
  best.pose.mirrored = false;
  result.found = 1;
  EXPECT_FALSE(may_be_mirrored(result));
}

TEST(FailedAnswer, AFileThatWasNeverThereHasNotVanished) {
  const SkippedFile why = {{.path = "q.jpg"}, "vanished", "No such file or directory"};
  EXPECT_EQ(failed_answer("query", "q.jpg", why)["error"]["reason"], "no_such_file");
  EXPECT_EQ(failed_answer("query", "q.jpg", why)["error"]["message"], "no such file");
}

TEST(QueryAnswer, IsNamedByTheFirstFileThatIsThere) {
  QueryResult result{{match_of("/photos/a.jpg")}, 1};
  result.matches[0].gone = {"/photos/a.jpg"};
  EXPECT_EQ(query_answer("q", result)["matches"][0]["path"], "/another/copy.jpg");
  result.matches[0].gone = result.matches[0].image.paths;
  EXPECT_EQ(query_answer("q", result)["matches"][0]["path"], "/photos/a.jpg");
}

TEST(ExplainAnswer, HasTheShapeThatIsPromised) {
  Explanation why;
  why.match = match_of("/photos/a.jpg");
  why.match.image.id = 7;
  why.match.image.feature_count = 90;
  why.by_features.evidence = {.votes = 0.5, .votes_ratio = 2, .votes_excess = 1.5, .shortlist = 30};
  why.by_features.evidence.inliers = 42;
  why.query_features = 80;
  why.query_words = 60;
  why.image_words = 50;
  why.common_words = 40;
  why.images = 300;
  why.rank = 3;
  why.shortlist = 30;
  why.shortlisted = true;
  why.pairs = {{{{1, 2}, {3, 4}}, true}, {{{5, 6}, {7, 8}}, false}};
  why.attempt = {.inliers = 42, .cells = 20};
  why.terms = {{"constant", 1, -4}, {"detail", 0.5, 6}};
  why.judged = why.match;
  why.answer_rank = 1;
  why.judged->place = 1;
  why.total = 2;
  Json answer = explain_answer("q.jpg", why);
  const Json steps = answer["steps"];
  answer.erase("steps");
  EXPECT_EQ(
      json_text(answer),
      R"({"query":"q.jpg","id":7,"path":"/photos/a.jpg","page":1,)"
      R"("paths":["/photos/a.jpg","/another/copy.jpg"],"gone":[],"mirrored":false,)"
      R"("features":{"query":80,"image":90,"second_look":null},)"
      R"("words":{"query":60,"image":50,"common":40},)"
      R"("votes":{"score":0.5,"ratio":2.0,"excess":1.5,"rank":3,"images":300,)"
      R"("shortlist":30,"shortlisted":true},)"
      R"("pairs":[{"query":[3.0,4.0],"image":[1.0,2.0],"inlier":true},)"
      R"({"query":[7.0,8.0],"image":[5.0,6.0],"inlier":false}],)"
      R"("pose":{"inliers":42,"places":20,)"
      R"("quad":[[1.0,2.0],[3.142,2.0],[3.0,4.0],[1.0,4.0]]},)"
      R"("refine":{"compared":true,"correlation":0.75,"detail":null,"moved_px":0.5,)"
      R"("colour":null,"own_agreement":null,"difference":null,"other_content":[],"identical":false},)"
      R"("probability":{"value":0.875,"terms":[)"
      R"({"name":"constant","value":1.0,"weight":-4.0,"product":-4.0},)"
      R"({"name":"detail","value":0.5,"weight":6.0,"product":3.0}]},)"
      R"("decision":"same_object",)"
      R"("answer":{"listed":true,"rank":1,"place":1,"total":2,"decision":"same_object",)"
      R"("via":[],"rival":null}})");
  ASSERT_EQ(steps.size(), 9U);
  EXPECT_EQ(steps.front()["step"], "features");
  EXPECT_EQ(steps.back()["step"], "answer");
  EXPECT_EQ(steps.back()["passed"], true);
  EXPECT_EQ(steps.back()["reason"], "Listed: \"same_object\", number 1 of 2, in place 1.");
}

TEST(ExplainAnswer, SaysHowARelatedImageWasFound) {
  Explanation why;
  why.match = match_of("/photos/a.jpg");
  why.judged = why.match;
  why.judged->decision = Decision::kRelated;
  why.judged->via.resize(2);
  why.judged->via[0].paths = {"/photos/b.jpg"};
  why.judged->via[1].paths = {"/photos/c.jpg"};
  why.answer_rank = 1;
  why.judged->place = 1;
  why.total = 1;
  const Json answer = explain_answer("q.jpg", why);
  EXPECT_EQ(answer["answer"]["via"].size(), 2U);
  EXPECT_EQ(answer["steps"].back()["reason"],
            "Listed: \"related\", number 1 of 1, in place 1. The photo surely shows what "
            "/photos/b.jpg shows, "
            "that shows what /photos/c.jpg shows, and that shows what this image shows.");
}

TEST(ExplainAnswer, WhatIsNotThereIsNull) {
  Explanation why;
  why.match.image.paths = {"/photos/a.jpg"};
  const Json answer = explain_answer("q.jpg", why);
  EXPECT_TRUE(answer["votes"]["rank"].is_null());
  EXPECT_TRUE(answer["pose"]["quad"].is_null());
  EXPECT_TRUE(answer["refine"]["correlation"].is_null());
  EXPECT_TRUE(answer["answer"]["decision"].is_null());
  EXPECT_EQ(answer["answer"]["listed"], false);
  EXPECT_EQ(answer["probability"]["terms"], Json::array());
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
                   .quad = {{{0, 0}, {20, 0}, {20, 41}, {0, 41}}},
                   .colour = 0.5}};
  const std::vector<ObjectLocated> objects = {{"o.png", located}};
  EXPECT_EQ(json_text(locate_answer("s.png", objects)),
            R"({"scene":"s.png","hits":[{"object":"o.png","method":"features",)"
            R"("centre":[10.0,20.5],"position_error_px":0.125,)"
            R"("angle_degrees":30.0,"scale":0.5,"correlation":0.25,"colour":0.5,)"
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
