#include "pipeline/duplicates/pair_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

PairState sample() {
  PairState state;
  for (std::uint8_t i = 0; i < 3; ++i) {
    state.images.push_back(
        {.content = {i, 7}, .compared = i < 2, .mirrored = i == 1, .reported_files = i});
  }
  state.images[2].representative = 0;
  FoundPair pair{.first = 0, .second = 1, .mirrored = true, .has_part = true};
  pair.evidence = {.votes = 1.5,
                   .votes_ratio = 2.5,
                   .votes_excess = 3.5,
                   .shortlist = 178,
                   .pairs = 50,
                   .inliers = 40,
                   .effective_inliers = 30,
                   .coherence = 1.25,
                   .squeeze = 1.125,
                   .correlation = 0.75,
                   .difference = PictureDifference{.largest = 3,
                                                   .largest_of_colour = 1,
                                                   .lacks_colours = true,
                                                   .share = 0.5,
                                                   .shots = {.moved = 0.25, .beyond = 0.125},
                                                   .places = {outline({}, 20, 10)}}};
  pair.first_to_second = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  state.pairs = {pair, {.first = 1, .second = 2}};
  state.pairs[1].evidence.identical = true;
  state.pairs[1].is_check = true;
  return state;
}

Bytes bytes_of(const PairState& state) {
  return encode_pairs(state, {1});
}

TEST(PairFile, ComesBackAsItWas) {
  const PairState state = decode_pairs(bytes_of(sample()), {1});
  EXPECT_EQ(bytes_of(state), bytes_of(sample()));
  EXPECT_TRUE(state.images[0].compared && state.images[1].mirrored);
  EXPECT_FALSE(state.images[2].compared || state.images[0].mirrored);
  EXPECT_EQ(state.images[2].representative, 0U);
  EXPECT_FALSE(state.images[0].representative);
  EXPECT_TRUE(state.pairs[1].is_check && !state.pairs[0].is_check);
  const FoundPair& pair = state.pairs.at(0);
  EXPECT_TRUE(pair.mirrored && pair.has_part && !pair.evidence.identical);
  EXPECT_TRUE(pair.evidence.difference && pair.evidence.difference->lacks_colours);
  EXPECT_EQ(pair.evidence.difference->places.at(0), outline({}, 20, 10));
  EXPECT_EQ(pair.evidence.difference->shots.moved, 0.25);
  EXPECT_EQ(pair.evidence.difference->shots.beyond, 0.125);
  EXPECT_FALSE(state.pairs[1].evidence.difference);
  EXPECT_EQ(pair.evidence.votes_excess, 3.5);
  EXPECT_EQ(pair.evidence.shortlist, 178U);
  EXPECT_EQ(pair.evidence.effective_inliers, 30U);
  EXPECT_EQ(pair.evidence.correlation, 0.75);
  EXPECT_FALSE(pair.evidence.detail);
  EXPECT_EQ(pair.first_to_second, sample().pairs[0].first_to_second);
  EXPECT_TRUE(state.pairs.at(1).evidence.identical);
  EXPECT_TRUE(decode_pairs(bytes_of({}), {1}).images.empty());
}

TEST(PairFile, UnderOtherSettingsOnlyWhatWasReportedHolds) {
  const PairState state = decode_pairs(encode_pairs(sample(), {1}), {2});
  EXPECT_TRUE(state.pairs.empty());
  ASSERT_EQ(state.images.size(), 3U);
  EXPECT_FALSE(state.images[1].compared || state.images[1].mirrored);
  EXPECT_EQ(state.images[2].reported_files, 2U);
}

TEST(PairFile, EveryCutAndEveryFlippedByteIsRefused) {
  const Bytes bytes = encode_pairs(sample(), {1});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_pairs(ByteView(bytes).first(size), {1}), Error) << size;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes flipped = bytes;
    flipped[i] ^= 4;
    EXPECT_THROW(decode_pairs(flipped, {1}), Error) << i;
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(decode_pairs(longer, {1}), Error);
}

TEST(PairFile, ARepresentativeHasNone) {
  PairState state = sample();
  state.images[0].representative = 1;
  EXPECT_THROW(decode_pairs(bytes_of(state), {1}), Error);
  state = sample();
  state.images[2].representative = 3;
  EXPECT_THROW(decode_pairs(bytes_of(state), {1}), Error);
}

TEST(PairFile, IsMadeAgainWhenItCannotBeUsed) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "index.db";
  EXPECT_TRUE(load_pairs(database, {1}).images.empty());
  save_pairs(database, sample(), {1});
  EXPECT_EQ(bytes_of(load_pairs(database, {1})), bytes_of(sample()));
  std::filesystem::resize_file(pair_file(database), 100);
  EXPECT_TRUE(load_pairs(database, {1}).images.empty());
  std::filesystem::remove(pair_file(database));
  std::filesystem::create_directory(pair_file(database));
  EXPECT_TRUE(load_pairs(database, {1}).images.empty());
}

TEST(PairFile, OneOfSomebodyElseIsNotReplaced) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "index.db";
  folder.write("index.db.pairs", "my notes");
  EXPECT_THROW(lock_pairs(database), Error);
  std::filesystem::remove(pair_file(database));
  save_pairs(database, sample(), {1});
  EXPECT_TRUE(lock_pairs(database));
}

TEST(PairFile, IsLockedForOneAtATime) {
  const TemporaryFolder folder;
  {
    const auto lock = lock_pairs(folder.path() / "index.db");
    EXPECT_TRUE(lock && lock->is_open());
    EXPECT_FALSE(lock_pairs(folder.path() / "index.db"));
  }
  EXPECT_TRUE(lock_pairs(folder.path() / "index.db"));
}

TEST(PairFingerprint, DependsOnWhatDecidesWhichPairsAreFound) {
  const MatchOptions match;
  const Settings settings = {{"extract.octaves", "4"}};
  MatchOptions other = match;
  other.top = 77;
  other.cache_mib = 7;
  EXPECT_EQ(pair_fingerprint(settings, match), pair_fingerprint(settings, other));
  other.min_inliers = 9;
  EXPECT_NE(pair_fingerprint(settings, match), pair_fingerprint(settings, other));
  EXPECT_NE(pair_fingerprint(settings, match), pair_fingerprint({}, match));
}

}  // namespace
}  // namespace lookalike
