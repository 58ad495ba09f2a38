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

std::vector<std::string> images_of(const ReportEntry& entry) {
  std::vector<std::string> images;
  for (const ReportFinding& finding : entry.findings) images.push_back(finding.image);
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
  ASSERT_EQ(report.entries.size(), 4U);
  EXPECT_EQ(report.entries[0].photo, "/wrong first");
  EXPECT_THAT(images_of(report.entries[0]), ElementsAre("/x"));
  EXPECT_EQ(report.entries[1].verdict, "sure but wrong");
  EXPECT_THAT(images_of(report.entries[1]), ElementsAre("/x", "/y"));
  EXPECT_EQ(report.entries[2].photo, "/unsure");
  EXPECT_EQ(report.entries[3].verdict, "1 of 2 missed");
  EXPECT_THAT(images_of(report.entries[3]), ElementsAre("/a", "/b"));
  EXPECT_EQ(report.entries[3].findings[1].facts[0].second, "2");
  EXPECT_EQ(report.facts[1], (std::pair<std::string, std::string>("wrong first", "1")));
}

TEST(TruthReport, WithoutAnAnswerForEachQueryIsABug) {
  EXPECT_THROW(truth_report(std::vector<TruthQuery>(2), std::vector<Answer>(1), {}), Error);
}

}  // namespace
}  // namespace lookalike
