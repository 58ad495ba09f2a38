#include "tools/evaluate/truth_report.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

Answer::Found found(const std::string& path, Decision decision) {
  return {.paths = {path}, .quad = {}, .probability = 0.9, .decision = decision};
}

std::vector<std::string> images_of(const ReportItem& item) {
  std::vector<std::string> images;
  for (const Json& match : item.answer["matches"]) images.push_back(match["path"]);
  return images;
}

TEST(TruthReport, ShowsWrongAnswersBeforeUnsureAndMissedOnes) {
  using enum Decision;
  const std::vector<TruthQuery> queries = {{"/missed", {{"/a", {}}, {"/b", {}}}},
                                           {"/unsure", {{"/a", {}}}},
                                           {"/wrong first", {{"/a", {}}}},
                                           {"/right", {{"/a", {}}}},
                                           {"/of nothing", {}},
                                           {"/nothing", {}}};
  const std::vector<Answer> plain = {{{found("/a", kSameObject)}},
                                     {{found("/a", kSimilar)}},
                                     {{found("/x", kSimilar), found("/a", kSameObject)}},
                                     {{found("/a", kDuplicate), found("/x", kSimilar)}},
                                     {{found("/x", kSimilar), found("/y", kVariant)}},
                                     {{found("/x", kSimilar)}}};
  std::vector<Answer> ranking = plain;
  ranking[0].found.push_back(found("/b", kNone));
  const Report report = truth_report(queries, plain, ranking);
  const auto& items = report.items;
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].answer["query"], "/wrong first");
  EXPECT_THAT(images_of(items[0]), ElementsAre("/x"));
  EXPECT_EQ(items[1].answer["headline"], "sure but wrong");
  EXPECT_THAT(images_of(items[1]), ElementsAre("/x", "/y"));
  EXPECT_EQ(items[2].answer["query"], "/unsure");
  EXPECT_EQ(items[3].answer["headline"], "1 of 2 missed");
  EXPECT_THAT(images_of(items[3]), ElementsAre("/a", "/b"));
  EXPECT_EQ(items[3].answer["matches"][1]["facts"][0][1], "2");
  EXPECT_EQ(items[3].pictures.size(), 3U) << "of the photo, too";
  EXPECT_EQ(report.facts[1], (std::pair<std::string, std::string>("wrong first", "1")));
}

TEST(TruthReport, WithoutAnAnswerForEachQueryIsABug) {
  EXPECT_THROW(truth_report(std::vector<TruthQuery>(2), std::vector<Answer>(1), {}), Error);
}

}  // namespace
}  // namespace lookalike
