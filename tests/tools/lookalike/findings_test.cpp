#include "tools/lookalike/findings.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(FindingOf, AMatchTellsItsCorrelationOnlyWhenItHasOne) {
  Match match;
  match.image.paths = {"/photos/a.jpg", "/another/copy.jpg"};
  match.evidence.correlation = 0.75;
  EXPECT_EQ(finding_of(match).facts.size(), 4U);
  EXPECT_EQ(finding_of(match).image, "/photos/a.jpg");
  match.evidence.correlation.reset();
  EXPECT_EQ(finding_of(match).facts.size(), 3U);
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
