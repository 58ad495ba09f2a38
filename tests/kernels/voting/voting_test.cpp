#include "kernels/voting/voting.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Images = std::vector<std::uint32_t>;
using Signatures = std::vector<std::uint64_t>;

// Signatures up to two bits away are near.
VotingWeights weights() {
  VotingWeights result;
  result.threshold = 2;
  result.weights[0] = 1000;
  result.weights[1] = 500;
  result.weights[2] = 101;
  return result;
}

// Runs for every kernel on every device present.
class VotingTest : public ::testing::TestWithParam<std::tuple<std::string, VotingKernel>> {
 protected:
  ImageVoting voting(const std::vector<float>& norms, std::uint64_t postings,
                     std::size_t shelf_postings = 0) {
    return {session_, {norms, weights(), 5, postings, shelf_postings}, std::get<1>(GetParam())};
  }

  OpenClSession& session_ = shared_session(std::get<0>(GetParam()));
};

TEST_P(VotingTest, NearSignaturesAddTheirWeightTimesIdfSquaredRounded) {
  ImageVoting lists = voting(std::vector<float>(4, 1.0F), 4);
  lists.add(2, Images{0, 1, 2, 3}, Signatures{0, 1, 3, 7}, 1.5);
  lists.finish();
  const std::vector<VotingQuery> queries = {{{{2, 0}}, 1}, {{{2, 7}}, 1}};
  const auto found = lists.vote(queries, 4);
  EXPECT_THAT(found.at(0),
              UnorderedElementsAre(VotedImage{0, 1500}, VotedImage{1, 750}, VotedImage{2, 152}));
  EXPECT_THAT(found.at(1),
              UnorderedElementsAre(VotedImage{3, 1500}, VotedImage{2, 750}, VotedImage{1, 152}));
}

TEST_P(VotingTest, VotesOfOneWordForOneImageCountTogetherWhereverTheyStand) {
  // Two hundred postings of an image, the first of which has no vote.
  Images images(200, 7);
  Signatures signatures(200, 0xff);
  signatures[60] = signatures[64] = signatures[199] = 0;
  images.push_back(8);
  signatures.push_back(0);
  ImageVoting lists = voting(std::vector<float>(9, 1.0F), images.size());
  lists.add(0, images, signatures, 1);
  lists.finish();
  const auto expected = static_cast<std::uint64_t>(std::llround(6000 / std::sqrt(6.0)));
  const auto repeated = static_cast<std::uint64_t>(std::llround(2000 / std::sqrt(2.0)));
  const std::vector<VotingQuery> queries = {{{{0, 0}, {0, 0}}, 1}};
  EXPECT_THAT(lists.vote(queries, 9).at(0),
              UnorderedElementsAre(VotedImage{7, expected}, VotedImage{8, repeated}));
}

TEST_P(VotingTest, BestByTheirNormAndAllThatTieWithTheLastAreFound) {
  constexpr std::size_t kImages = 20'000;
  std::vector<float> norms(kImages, 4.0F);
  norms[5] = 1.0F;
  norms[6] = 0.0F;  // never found
  norms[17] = norms[19'999] = 2.0F;
  ImageVoting lists = voting(norms, kImages);
  Images images(kImages);
  for (std::size_t i = 0; i < kImages; ++i) images[i] = static_cast<std::uint32_t>(i);
  lists.add(4, images, Signatures(kImages, 0), 1);
  lists.finish();
  const std::vector<VotingQuery> queries = {{{{4, 0}}, 1}};
  EXPECT_THAT(
      lists.vote(queries, 2).at(0),
      UnorderedElementsAre(VotedImage{5, 1000}, VotedImage{17, 1000}, VotedImage{19'999, 1000}));
  EXPECT_EQ(lists.vote(queries, 4).at(0).size(), kImages - 1);  // more than candidates fit
}

TEST_P(VotingTest, ListsInSeveralBuffersAreAllSearched) {
  ImageVoting lists = voting({1, 1, 1}, 6, 2);
  for (const std::uint32_t word : {0U, 1U, 3U}) {
    lists.add(word, Images{word == 3 ? 1U : word, 2}, Signatures{0, 0}, 1);
  }
  lists.finish();
  const std::vector<VotingQuery> queries = {{{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {99, 0}}, 1}};
  EXPECT_THAT(lists.vote(queries, 3).at(0),
              UnorderedElementsAre(VotedImage{0, 1000}, VotedImage{1, 2000}, VotedImage{2, 3000}));
}

TEST_P(VotingTest, NothingGivesNothing) {
  ImageVoting lists = voting({1}, 0);
  lists.finish();
  EXPECT_THAT(lists.vote({}, 3), IsEmpty());
  const std::vector<VotingQuery> queries = {{{}, 1}, {{{0, 0}}, 1}};
  EXPECT_THAT(lists.vote(queries, 3), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(lists.vote(queries, 0), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_P(VotingTest, BrokenContractsAreErrors) {
  ImageVoting lists = voting({1, 1}, 2);
  EXPECT_THROW(lists.add(5, Images{0}, Signatures{0}, 1), Error);        // no such word
  EXPECT_THROW(lists.add(0, Images{1, 0}, Signatures{0, 0}, 1), Error);  // not ascending
  EXPECT_THROW(lists.add(0, Images{2}, Signatures{0}, 1), Error);        // no such image
  EXPECT_THROW(lists.add(0, Images{0, 1}, Signatures{0}, 1), Error);     // no signature
  EXPECT_THROW(lists.add(0, Images(3, 0), Signatures(3, 0), 1), Error);  // no room
  lists.add(1, Images{0}, Signatures{0}, 1);
  EXPECT_THROW(lists.add(1, Images{0}, Signatures{0}, 1), Error);  // twice
  const std::vector<VotingQuery> unordered = {{{{1, 0}, {0, 0}}, 1}};
  EXPECT_THROW(lists.vote(unordered, 1), Error);
}

TEST_P(VotingTest, ListThatNoBufferHoldsDoesNotFit) {
  ImageVoting lists = voting({1, 1}, 10, 1);
  EXPECT_THROW(lists.add(0, Images{0, 1}, Signatures{0, 0}, 1), DeviceOutOfMemory);
}

TEST_P(VotingTest, SmallerBatchesUnderAMemoryLimitGiveTheSame) {
  constexpr std::size_t kImages = 2000;
  OpenClSession small({.device = std::get<0>(GetParam()), .memory_limit_bytes = 400'000});
  const std::vector<float> norms(kImages, 1.0F);
  ImageVoting limited(small, {norms, weights(), 5, 100}, std::get<1>(GetParam()));
  ImageVoting free = voting(norms, 100);
  for (ImageVoting* const each : {&limited, &free}) {
    each->add(0, Images{3, 1000, 1999}, Signatures{0, 1, 2}, 1);
    each->finish();
  }
  std::vector<VotingQuery> queries;
  for (std::uint64_t i = 0; i < 30; ++i) queries.push_back({{{0, i % 4}}, 1});
  EXPECT_EQ(limited.vote(queries, kImages), free.vote(queries, kImages));
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, VotingTest,
                         testing::Combine(testing::ValuesIn(every_device()),
                                          testing::Values(VotingKernel::kOne, VotingKernel::kFour)),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) + "_" +
                                  std::string(to_string(std::get<1>(instance.param)));
                         });

}  // namespace
}  // namespace lookalike
