#include "base/content_hash.h"

#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

// XXH3-128 of no bytes, from the specification of xxHash.
TEST(ContentHash, NothingHasTheHashThatXxhashStates) {
  EXPECT_EQ(to_hex(hash_content({})), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, OneBitChangesIt) {
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  const std::vector<std::uint8_t> other = {1, 2, 2};
  EXPECT_EQ(hash_content(bytes), hash_content(bytes));
  EXPECT_NE(hash_content(bytes), hash_content(other));
}

TEST(ContentHash, IsReadFromItsHexadecimalDigits) {
  const ContentHash content = hash_content({});
  EXPECT_EQ(content_from(to_hex(content)), content);
  EXPECT_FALSE(content_from(to_hex(content).substr(1)));
  EXPECT_FALSE(content_from(std::string(32, 'g')));
}

TEST(ContentHash, SampleRankDependsOnTheSeed) {
  const ContentHash content = hash_content({});
  EXPECT_EQ(sample_rank(content, 1), sample_rank(content, 1));
  EXPECT_NE(sample_rank(content, 1), sample_rank(content, 2));
}

TEST(PictureKey, IsThatOfASizeAndSums) {
  const PixelSums sums{.count = 12, .sum = 340, .sum_of_squares = 56000};
  const std::uint64_t key = picture_key(4, 3, sums);
  EXPECT_EQ(picture_key(4, 3, sums), key);
  EXPECT_NE(picture_key(3, 4, sums), key);
  EXPECT_NE(picture_key(4, 4, sums), key);
  EXPECT_NE(picture_key(4, 3, {13, 340, 56000}), key);
  EXPECT_NE(picture_key(4, 3, {12, 341, 56000}), key);
  EXPECT_NE(picture_key(4, 3, {12, 340, 56001}), key);
}

}  // namespace
}  // namespace lookalike
