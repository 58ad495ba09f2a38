#include "storage/equal_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

using EqualSumsTest = IndexTest;

TEST_F(EqualSumsTest, LeadToTheFirstImageThatHasThem) {
  const auto publish_with = [&](std::uint64_t number, std::uint64_t sum, std::int32_t width = 100) {
    ImageToStore image = sample_to_store(number, 20);
    image.words.image.width = width;
    image.words.image.height = 80;
    image.sums = {8000, sum, 2 * sum};
    publish(image);
  };
  publish_with(1, 500);
  publish_with(2, 700);
  publish_with(3, 500);
  publish_with(4, 500, 99);
  publish_with(5, 500);
  EXPECT_THAT(first_with_equal_sums(database()), ElementsAre(0, 1, 2, 1, 4, 1));
  remove(1);
  EXPECT_THAT(first_with_equal_sums(database()), ElementsAre(0, 0, 2, 3, 4, 3));
}

}  // namespace
}  // namespace lookalike
