#include "pipeline/headline.h"

#include <algorithm>
#include <initializer_list>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

// A result with a match of each decision, in places 1, 2, ... or all in the first one.
QueryResult result_of(std::initializer_list<Decision> decisions, bool in_one_place) {
  QueryResult result;
  for (const Decision decision : decisions) {
    Match& match = result.matches.emplace_back();
    match.decision = decision;
    match.place = in_one_place ? 1 : result.matches.size();
    result.found += is_found(decision) ? 1 : 0;
  }
  result.total = result.matches.size();
  result.places = in_one_place ? std::min<std::size_t>(1, result.total) : result.total;
  return result;
}

std::string of_photo(std::initializer_list<Decision> decisions, bool in_one_place = true) {
  return headline(result_of(decisions, in_one_place), Asked::kPhoto);
}

TEST(Headline, CountsSureMatchesByDecision) {
  using enum Decision;
  EXPECT_EQ(of_photo({kDuplicate, kSameObject, kSameObject, kSameObject, kRelated, kSimilar}),
            "1 same picture, 3 show it");
  EXPECT_EQ(of_photo({kDuplicate, kDuplicate, kVariant, kSameObject, kPart}),
            "2 same pictures, 1 changed version, 1 shows it, 1 shares a part");
  EXPECT_EQ(of_photo({kVariant, kVariant, kPart, kPart}), "2 changed versions, 2 share a part");
}

TEST(Headline, SaysInHowManyPlaces) {
  using enum Decision;
  EXPECT_EQ(of_photo({kDuplicate, kSameObject, kSimilar}, false),
            "1 same picture, 1 shows it, in 2 places");
  EXPECT_EQ(of_photo({kSameObject, kSimilar}, false), "1 shows it") << "one place is sure";
  QueryResult cut = result_of({kSameObject, kSameObject}, false);
  cut.places = 5;
  EXPECT_EQ(headline(cut, Asked::kPhoto), "2 show it, 2 of 5 places listed");
}

TEST(Headline, SaysThatNothingIsSure) {
  using enum Decision;
  EXPECT_EQ(of_photo({}), "nothing found");
  EXPECT_EQ(of_photo({kSimilar, kSimilar, kNone}),
            "nothing sure found, 2 look similar, 1 unlikely");
  EXPECT_EQ(headline({}, Asked::kIndexedImage), "no other image shows this");
  EXPECT_EQ(headline(result_of({kSimilar}, true), Asked::kIndexedImage),
            "no other image surely shows this, 1 looks similar");
}

}  // namespace
}  // namespace lookalike
