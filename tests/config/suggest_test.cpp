#include "config/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(EditDistance, CountsLettersPutInTakenOutAndChanged) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("octaves", "octave"), 1U);
}

TEST(NearestName, TakesTheNearestAndTheFirstOfEquals) {
  const std::array<std::string_view, 3> known = {"layers", "octaves", "octavos"};
  EXPECT_EQ(nearest_name("octave", known), "octaves");
  EXPECT_EQ(nearest_name("octavxs", known), "octaves");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  const std::array<std::string_view, 2> known = {"layers", "octaves"};
  EXPECT_EQ(nearest_name("colour", known), "");
  EXPECT_EQ(nearest_name("", known), "");
}

}  // namespace
}  // namespace lookalike
