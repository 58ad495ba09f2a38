#include "stages/codebook/resident_features.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

constexpr std::size_t kCount = RowFile::kBatchRows + 100;
constexpr std::size_t kBytes = kCount * kDimensions * sizeof(float);

class ResidentFeaturesTest : public ::testing::Test {
 protected:
  // Finds the nearest of the first `words` features to each.
  static std::vector<std::uint32_t> search(ResidentFeatures& resident, std::size_t words) {
    std::vector<std::uint32_t> all;
    resident.nearest(
        {values().data(), words, kDimensions}, [] {},
        [&](std::size_t first, const Assignment& nearest) {
          EXPECT_EQ(first, all.size());
          all.insert(all.end(), nearest.words.begin(), nearest.words.end());
        });
    return all;
  }
  // The first search of a session also probes the device.
  static void try_device(OpenClSession& session) {
    WordAssigner(session, {values().data(), 1, kDimensions});
    session.drain_transfers();
  }
  static std::vector<std::uint32_t> expected(std::size_t words) {
    OpenClSession session;
    WordAssigner assigner(session, {values().data(), words, kDimensions});
    return assigner.assign({values(), kDimensions}).words;
  }
  static const std::vector<float>& values() {
    static const std::vector<float> made = clustered_features(kCount, 90, 0.3, 1);
    return made;
  }

  RowFile features_ = row_file(values());
};

TEST_F(ResidentFeaturesTest, AreSentOnce) {
  OpenClSession session({.profile = true});
  try_device(session);
  ResidentFeatures resident(session, features_);
  EXPECT_EQ(search(resident, 20), expected(20));
  const std::size_t first = session.drain_transfers().launches;
  EXPECT_EQ(search(resident, 20), expected(20));
  EXPECT_EQ(session.drain_transfers().launches, first - 2);  // two batches stayed
}

TEST_F(ResidentFeaturesTest, AreSentAgainWhereTheDeviceHasNoRoom) {
  OpenClSession session({.memory_limit_bytes = kBytes / 4});
  ResidentFeatures resident(session, features_);
  EXPECT_EQ(search(resident, 20), expected(20));
  EXPECT_EQ(search(resident, 20), expected(20));
}

TEST_F(ResidentFeaturesTest, MakeRoomForASearchThatNeedsIt) {
  // Room for the features and few words, but not for 20,000.
  OpenClSession session({.memory_limit_bytes = kBytes + (std::size_t{4} << 20U), .profile = true});
  try_device(session);
  ResidentFeatures resident(session, features_);
  const std::vector<std::uint32_t> before = search(resident, 20);
  const std::size_t first = session.drain_transfers().launches;
  EXPECT_EQ(search(resident, 20), before);
  EXPECT_EQ(session.drain_transfers().launches, first - 2);
  EXPECT_EQ(search(resident, 20'000), expected(20'000));
}

TEST_F(ResidentFeaturesTest, CallerEndsASearchBeforeItsNextBatch) {
  OpenClSession session;
  ResidentFeatures resident(session, features_);
  int batches = 0;
  const auto stop = [&] {
    if (++batches == 2) throw std::runtime_error("stopped");
  };
  int visits = 0;
  EXPECT_THROW(resident.nearest({values().data(), 5, kDimensions}, stop,
                                [&](std::size_t, const Assignment&) { ++visits; }),
               std::runtime_error);
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace lookalike
