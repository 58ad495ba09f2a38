// Images of the index that are looked up themselves.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/work_limits.h"
#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

TEST_F(MatcherTest, IndexedImageFindsItsLikesButNotItself) {
  const IndexReader reader(database());
  const ImageId copy = reader.find(path_of(5)).value();
  const auto matches = Matcher(*session, reader, {}, {}, kLoaders).match_indexed(copy).matches;
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().image.paths, std::vector<std::string>{path_of(1)});
  EXPECT_GT(matches.front().evidence.correlation.value_or(0), 0.95);
  const Quad expected = outline({{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(distance(matches.front().pose.quad[i], expected[i]), 2) << i;
  }
}

TEST_F(MatcherTest, IndexedImageWhoseFileIsGoneIsStillLookedUp) {
  const IndexReader reader(database());
  Matcher matcher(*session, reader, {}, {}, kLoaders);
  fs::rename(path_of(5), path_of(5) + ".away");
  const auto matches = matcher.match_indexed(reader.find(path_of(5)).value()).matches;
  fs::rename(path_of(5) + ".away", path_of(5));
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
}

TEST_F(MatcherTest, NoMoreIsReadOnceTheTimeIsOver) {
  const IndexReader reader(database());
  WorkLimits limits(WorkLimits::Clock::time_point::max());
  int read = 0;
  const PictureLoaders loaders{[&](const StoredImage& image, WantedSize size) {
                                 ++read;
                                 limits.shorten(WorkLimits::Clock::now());
                                 return load_picture(image, size);
                               },
                               load_colours};
  const Matcher matcher(*session, reader, {}, {}, loaders);
  const LimitedWork limited(&limits);
  EXPECT_THROW(matcher.match_indexed(reader.find(path_of(5)).value()), Overdue);
  EXPECT_EQ(read, 1);
}

TEST_F(MatcherTest, AnImageThatTheIndexDoesNotHaveIsAnInputError) {
  const IndexReader reader(database());
  Matcher matcher(*session, reader, {}, {}, kLoaders);
  try {
    matcher.match_indexed(4000);
    FAIL() << "answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("4000"));
  }
}

}  // namespace
}  // namespace lookalike
