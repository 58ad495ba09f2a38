#include "storage/blobs.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "storage/stored_features.h"
#include "tests/storage/samples.h"

namespace lookalike {
namespace {

constexpr std::int64_t kBlobRow = 0;  // of the blobs

constexpr std::uint32_t kLongerSide = 640;

std::vector<IndexedFeature> features_of(std::uint64_t seed, std::size_t count) {
  return sample_words(seed, count, 1000).features;
}

StoredFeatures histogram_again(const Bytes& payload) {
  return decode_histogram(seal_blob(payload, 3), 3);
}

Bytes postings_blob() {
  const std::vector<ImageId> images = {3, 3, 200, 70000, 4'294'967'295};
  const std::vector<std::uint64_t> signatures = {1, 2, 3, ~0ULL, 5};
  return encode_postings(images, signatures, kBlobRow);
}

TEST(PostingsCodec, ComesBackAndIsAppended) {
  WordPostings postings{{1}, {9}};
  decode_postings(postings_blob(), postings, kBlobRow);
  EXPECT_THAT(postings.images, testing::ElementsAre(1, 3, 3, 200, 70000, 4'294'967'295));
  EXPECT_THAT(postings.signatures, testing::ElementsAre(9, 1, 2, 3, ~0ULL, 5));
}

TEST(PostingsCodec, NoPostingsComeBack) {
  WordPostings postings;
  decode_postings(encode_postings({}, {}, kBlobRow), postings, kBlobRow);
  EXPECT_TRUE(postings.images.empty());
}

TEST(PostingsCodec, ADenseWordTakesAboutNineBytesAPosting) {
  std::vector<ImageId> images(1000);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<ImageId>(5 * i + 1);
  const std::vector<std::uint64_t> signatures(images.size());
  EXPECT_LE(encode_postings(images, signatures, kBlobRow).size(), images.size() * 9 + 8);
}

// Numbers of every length, so that reads begin and end inside groups of eight bytes.
TEST(EncodedPostings, AreReadInPiecesAsTheyAreDecodedWhole) {
  Random random(1);
  WordPostings expected;
  ImageId image = 1;
  for (int i = 0; i < 2000; ++i) {
    expected.images.push_back(image);
    expected.signatures.push_back(random.bits());
    if (random.below(3) > 0)
      image += static_cast<ImageId>(random.bits() >> (43 + random.below(21)));
  }
  const Bytes blob = encode_postings(expected.images, expected.signatures, kBlobRow);
  EXPECT_EQ(open_postings(encode_postings({}, {}, kBlobRow), kBlobRow).size(), 0U);
  for (const std::size_t piece : {1U, 7U, 8U, 9U, 64U, 2000U}) {
    const EncodedPostings list = open_postings(blob, kBlobRow);
    ASSERT_EQ(list.size(), expected.images.size());
    EncodedPostings::Images decoder(list);
    std::vector<ImageId> images(list.size());
    std::size_t changes = 0;
    for (std::size_t first = 0; first < list.size(); first += piece) {
      changes += decoder.read(images.data() + first, std::min(piece, list.size() - first));
    }
    EXPECT_EQ(images, expected.images);
    EXPECT_EQ(changes, std::set<ImageId>(images.begin(), images.end()).size());
    EXPECT_EQ(std::memcmp(list.signatures(), expected.signatures.data(),
                          expected.signatures.size() * sizeof(std::uint64_t)),
              0);
  }
}

// Adds a valid checksum to a faulty payload.
TEST(EncodedPostings, NumbersThatDoNotFitAreRefused) {
  for (const unsigned byte : {0x80U, 0xFFU}) {
    ByteWriter payload;
    payload.put_varint(8);
    for (int i = 0; i < 16; ++i) payload.put<std::uint8_t>(static_cast<std::uint8_t>(byte));
    for (int i = 0; i < 8; ++i) payload.put<std::uint64_t>(0);
    const EncodedPostings list(payload.view());
    std::vector<ImageId> images(8);
    EXPECT_EQ(error_of([&] { EncodedPostings::Images(list).read(images.data(), 8); }).kind(),
              ErrorKind::kStorage);
    EXPECT_EQ(error_of([&] { EncodedPostings::Images(list).read(images.data(), 1); }).kind(),
              ErrorKind::kStorage);
  }
  const Bytes too_many = {9, 1, 1};
  EXPECT_EQ(error_of([&] { EncodedPostings{too_many}; }).kind(), ErrorKind::kStorage);
}

TEST(PostingsCodec, DescendingImagesAreABug) {
  const std::vector<ImageId> images = {2, 1};
  const std::vector<std::uint64_t> signatures = {0, 0};
  EXPECT_EQ(error_of([&] { encode_postings(images, signatures, kBlobRow); }).kind(),
            ErrorKind::kInternal);
}

void expect_every_flip_noticed(const Bytes& blob, const std::function<void(ByteView)>& decode) {
  ASSERT_NO_THROW(decode(blob));
  for (std::size_t bit = 0; bit < 8 * blob.size(); ++bit) {
    Bytes damaged = blob;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_EQ(error_of([&] { decode(damaged); }).kind(), ErrorKind::kStorage) << "bit " << bit;
  }
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_EQ(error_of([&] { decode(ByteView(blob).first(size)); }).kind(), ErrorKind::kStorage)
        << "cut to " << size;
  }
}

TEST(Codecs, EveryFlippedBitAndEveryTruncationIsNoticed) {
  expect_every_flip_noticed(postings_blob(), [](ByteView blob) {
    WordPostings postings;
    decode_postings(blob, postings, kBlobRow);
  });
  expect_every_flip_noticed(postings_blob(), [](ByteView blob) { open_postings(blob, kBlobRow); });
  expect_every_flip_noticed(seal_blob(encode_histogram(features_of(1, 5), kLongerSide), 7),
                            [](ByteView blob) { decode_histogram(blob, 7); });
  expect_every_flip_noticed(encode_floats(std::vector<float>{1, -2, 3}), decode_floats);
  expect_every_flip_noticed(encode_floats(std::vector<float>{1, -2, 3}),
                            [](ByteView blob) { open_blob(blob, 0); });
}

TEST(Codecs, ABlobOfAnotherRowIsNoticed) {
  const Bytes postings = encode_postings(std::vector<ImageId>{1}, std::vector<std::uint64_t>{2}, 5);
  EXPECT_NO_THROW(open_postings(postings, 5));
  EXPECT_EQ(error_of([&] { open_postings(postings, 6); }).kind(), ErrorKind::kStorage);
  const Bytes histogram = seal_blob(encode_histogram(features_of(1, 5), kLongerSide), 5);
  EXPECT_NO_THROW(decode_histogram(histogram, 5));
  EXPECT_EQ(error_of([&] { decode_histogram(histogram, 6); }).kind(), ErrorKind::kStorage);
}

TEST(HistogramCodec, WordsAndSignsAreExact) {
  const std::vector<IndexedFeature> features = features_of(2, 300);
  const StoredFeatures decoded = histogram_again(encode_histogram(features, kLongerSide));
  ASSERT_EQ(decoded.size(), features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_EQ(decoded.words[i], features[i].word);
    EXPECT_EQ(decoded.geometry[i].laplacian_sign, features[i].laplacian_sign);
  }
  EXPECT_TRUE(histogram_again(encode_histogram({}, kLongerSide)).empty());
}

TEST(HistogramCodec, DescendingWordsAreABug) {
  const std::vector<IndexedFeature> features = {{.word = 4, .size = 9}, {.word = 3, .size = 9}};
  EXPECT_EQ(error_of([&] { encode_histogram(features, kLongerSide); }).kind(),
            ErrorKind::kInternal);
}

TEST(HistogramCodec, GeometryStaysWithinItsBounds) {
  for (const std::uint32_t longer_side : {1U, 640U, 20000U}) {
    Random random(longer_side);
    std::vector<IndexedFeature> features(500);
    for (IndexedFeature& feature : features) {
      feature.x = static_cast<float>(random.between(-0.5, longer_side - 0.5));
      feature.y = static_cast<float>(random.between(-0.5, longer_side - 0.5));
      feature.size = static_cast<float>(std::exp2(random.between(-2, 16)));
      feature.angle_degrees = static_cast<float>(random.between(0, 360));
    }
    const auto decoded = histogram_again(encode_histogram(features, longer_side)).geometry;
    const double half_step = 0.5 * longer_side / kPositionSteps + 1e-6 * longer_side;
    for (std::size_t i = 0; i < features.size(); ++i) {
      EXPECT_NEAR(decoded[i].x, features[i].x, half_step);
      EXPECT_NEAR(decoded[i].y, features[i].y, half_step);
      EXPECT_NEAR(decoded[i].size / features[i].size, 1, 0.0062);
      const double turn = std::abs(decoded[i].angle_degrees - features[i].angle_degrees);
      EXPECT_LE(std::min(turn, 360 - turn), 0.0441);
      EXPECT_GE(decoded[i].angle_degrees, 0);
      EXPECT_LT(decoded[i].angle_degrees, 360);
    }
  }
}

TEST(HistogramCodec, WhatWasDecodedEncodesToTheSameBytes) {
  for (const std::uint32_t longer_side : {1U, 640U, 20000U}) {
    const Bytes blob = encode_histogram(features_of(longer_side, 500), longer_side);
    const StoredFeatures decoded = histogram_again(blob);
    const std::vector<std::uint64_t> signatures(decoded.size());
    EXPECT_EQ(encode_histogram(with_signatures(decoded, signatures), longer_side), blob);
  }
}

TEST(HistogramCodec, GeometryOutsideIsMovedToTheEdge) {
  const std::vector<IndexedFeature> features = {{0, 0, -50, 9000, 0, -90, 0},
                                                {0, 0, 0, 0, 1e9F, 720, 0}};
  const auto decoded = histogram_again(encode_histogram(features, kLongerSide)).geometry;
  EXPECT_FLOAT_EQ(decoded[0].x, -0.5F);
  EXPECT_FLOAT_EQ(decoded[0].y, kLongerSide - 0.5F);
  EXPECT_FLOAT_EQ(decoded[0].size, kSmallestSize);
  EXPECT_FLOAT_EQ(decoded[0].angle_degrees, 270);
  EXPECT_FLOAT_EQ(decoded[1].size, kLargestSize);
  EXPECT_FLOAT_EQ(decoded[1].angle_degrees, 0);
}

TEST(HistogramCodec, AnAngleThatRoundsToAFullTurnIsZeroAndLeavesTheSign) {
  for (const std::int32_t sign : {-1, 0, 1}) {
    const IndexedFeature feature = {.size = 9, .angle_degrees = 359.99F, .laplacian_sign = sign};
    const auto decoded = histogram_again(encode_histogram({&feature, 1}, kLongerSide)).geometry;
    EXPECT_EQ(decoded[0].angle_degrees, 0) << sign;
    EXPECT_EQ(decoded[0].laplacian_sign, sign);
  }
}

TEST(HistogramCodec, GeometryThatIsNoNumberIsABug) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const IndexedFeature& feature :
       {IndexedFeature{0, 0, nan, 0, 9, 0, 0}, IndexedFeature{0, 0, 0, nan, 9, 0, 0},
        IndexedFeature{0, 0, 0, 0, nan, 0, 0}, IndexedFeature{0, 0, 0, 0, 9, nan, 0},
        IndexedFeature{0, 0, 0, 0, 9, 0, 2}}) {
    EXPECT_EQ(error_of([&] {
                encode_histogram({&feature, 1}, kLongerSide);
              }).kind(),
              ErrorKind::kInternal);
  }
}

TEST(HistogramCodec, TakesAtMostNineBytesAFeature) {
  const std::vector<IndexedFeature> features = sample_words(3, 1000, 65536).features;
  EXPECT_LE(encode_histogram(features, kLongerSide).size(), 9 * features.size());
}

TEST(FloatsCodec, ComesBackBitForBit) {
  const std::vector<float> values = {0, -0.0F, 1e-40F, std::numeric_limits<float>::infinity()};
  const std::vector<float> decoded = decode_floats(encode_floats(values));
  EXPECT_EQ(decoded, values);
  EXPECT_TRUE(std::signbit(decoded[1]));
}

}  // namespace
}  // namespace lookalike
