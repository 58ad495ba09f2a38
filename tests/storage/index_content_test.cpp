#include <gtest/gtest.h>

#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

class ContentHashTest : public IndexTest {
 protected:
  // Of an index that was filled by the batches, one publish each.
  std::string hash_of(const std::vector<std::vector<ImageToStore>>& batches) {
    return hash_of(batches, sample_codebook(), {});
  }
  std::string hash_of(const std::vector<std::vector<ImageToStore>>& batches,
                      const Codebook& codebook, const Settings& settings) {
    const TemporaryFolder folder;
    IndexWriter writer(folder / "index.db");
    writer.set_codebook(codebook, settings);
    for (const auto& batch : batches) writer.publish(batch);
    return IndexReader(folder / "index.db").content_hash();
  }
};

ImageToStore image(std::uint64_t number) {
  return sample_to_store(number);
}

TEST_F(ContentHashTest, DoesNotDependOnOrderOrBatches) {
  const std::string expected = hash_of({{image(1), image(2), image(3)}});
  EXPECT_EQ(expected.size(), 32U);
  EXPECT_EQ(hash_of({{image(3)}, {image(1), image(2)}}), expected);
  EXPECT_EQ(hash_of({{image(2)}, {image(3)}, {image(1)}}), expected);
}

TEST_F(ContentHashTest, DoesNotDependOnPathsAndTimes) {
  ImageToStore elsewhere = image(1);
  elsewhere.words.image.file = {"/elsewhere", 1, 2};
  EXPECT_EQ(hash_of({{elsewhere}}), hash_of({{image(1)}}));
}

TEST_F(ContentHashTest, DoesNotDependOnMergesAndRemovals) {
  publish(1, 1);
  publish(2, 2);
  const std::string expected = reader().content_hash();
  writer_->merge_segments(1);
  EXPECT_EQ(reader().content_hash(), expected);
  publish(3, 3);
  EXPECT_NE(reader().content_hash(), expected);
  remove(3);
  EXPECT_EQ(reader().content_hash(), expected);
}

TEST_F(ContentHashTest, ChangesWithAnythingThatIsIndexed) {
  const std::string before = hash_of({{image(1)}});
  const auto changed = [&](const std::function<void(ImageToStore&)>& change) {
    ImageToStore copy = image(1);
    change(copy);
    return hash_of({{copy}});
  };
  EXPECT_NE(hash_of({{image(1), image(2)}}), before);
  EXPECT_NE(changed([](auto& i) { i.words.image.content[0] ^= 1U; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.image.height += 1; }), before);
  EXPECT_NE(changed([](auto& i) { i.sums.sum += 1; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.histogram[0].count += 1; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.features[0].signature ^= 1U; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.features[0].x += 1; }), before);
  EXPECT_NE(hash_of({{image(1)}}, sample_codebook(17), {}), before);
  EXPECT_NE(hash_of({{image(1)}}, sample_codebook(), {{"a", "b"}}), before);
}

TEST_F(ContentHashTest, BlankImagesCount) {
  EXPECT_NE(hash_of({{sample_to_store(5, 0)}}), hash_of({}));
}

}  // namespace
}  // namespace lookalike
