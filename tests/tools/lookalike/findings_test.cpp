#include "tools/lookalike/findings.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

Match match_with(Decision decision) {
  Match match;
  match.image.paths = {"/photos/a.jpg", "/another/copy.jpg"};
  match.decision = decision;
  match.probability = 0.875;
  match.evidence.inliers = 42;
  return match;
}

TEST(Headline, CountsWhatWasFoundAndSaysWhatIsNotListed) {
  const Match found = match_with(Decision::kDuplicate);
  const Match part = match_with(Decision::kPart);
  const Match similar = match_with(Decision::kSimilar);
  EXPECT_EQ(headline({{}, 0}), "nothing found");
  EXPECT_EQ(headline({{similar}, 1}), "nothing sure found");
  EXPECT_EQ(headline({{part, similar}, 2}), "1 by a part");
  EXPECT_EQ(headline({{found, part}, 2}), "1 found");
  EXPECT_EQ(headline({{found, found}, 15}), "2 found, 2 of 15 listed");
}

TEST(FactsOf, AreThoseThatThereAre) {
  Match match = match_with(Decision::kSameObject);
  EXPECT_EQ(facts_of(match),
            (Facts{{"decision", "same object"}, {"probability", "0.875"}, {"inliers", "42"}}));
  match.evidence.correlation = 0.75;
  match.moved_px = 1.5;
  match.mirrored = true;
  EXPECT_EQ(facts_of(match), (Facts{{"decision", "same object"},
                                    {"probability", "0.875"},
                                    {"inliers", "42"},
                                    {"correlation", "0.750"},
                                    {"corners moved", "1.50 px"},
                                    {"mirrored", "yes"}}));
}

TEST(EntryOf, ListsAllFilesAndMarksThoseThatAreGone) {
  Match match = match_with(Decision::kSameObject);
  match.gone = {"/photos/a.jpg"};
  const ReportEntry entry = entry_of("q.jpg", {{match}, 1});
  EXPECT_EQ(entry.verdict, "1 found");
  EXPECT_TRUE(entry.found);
  ASSERT_EQ(entry.findings.size(), 1U);
  EXPECT_EQ(entry.findings[0].image, "/another/copy.jpg");
  EXPECT_EQ(entry.findings[0].facts, facts_of(match));
  EXPECT_EQ(entry.findings[0].paths,
            (std::vector<std::string>{"/photos/a.jpg  (file is gone; run `lookalike index`)",
                                      "/another/copy.jpg"}));
}

TEST(FindingOf, AHitTellsItsPose) {
  const Hit hit = {.centre = {10, 20.5},
                   .angle_degrees = 30,
                   .scale = 0.5,
                   .correlation = 0.25,
                   .inliers = 7,
                   .quad = {{{0, 0}, {20, 0}, {20, 41}, {0, 41}}}};
  const ReportFinding finding = finding_of("object.png", LocateMethod::kFeatures, hit);
  EXPECT_EQ(finding.image, "object.png");
  EXPECT_EQ(finding.quad, hit.quad);
  EXPECT_EQ(finding.facts[0].second, "features");
  EXPECT_EQ(finding.facts[1].second, "30.0°");
  EXPECT_EQ(finding.facts.back().second, "7");
}

}  // namespace
}  // namespace lookalike
