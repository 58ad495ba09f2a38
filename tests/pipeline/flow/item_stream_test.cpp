#include "pipeline/flow/item_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

class ItemStreamTest : public ::testing::Test {
 protected:
  ItemStreamTest() { config_.store.database = folder_.path() / "index.db"; }
  SourceFile write(const std::string& name, std::string_view bytes) const {
    return {.path = folder_.write(name, bytes)};
  }

  TemporaryFolder folder_;
  RunConfig config_;
  StageTimes times_;
};

TEST_F(ItemStreamTest, OfFilesWithTheSameBytesTheFirstIsDecoded) {
  const std::string picture = text(encode(".png", draw_picture(60, 50, 1)));
  const std::vector<SourceFile> files = {
      write("bad.png", "words"), write("a.png", picture), write("b.png", picture),
      write("c.png", text(encode(".png", draw_picture(60, 50, 2))))};
  const FeatureCache cache(config_);
  KnownContents known(cache);
  ItemStream stream(files, config_, times_, &known);
  const std::vector<Item> batch = stream.next_batch(16);
  ASSERT_EQ(batch.size(), files.size());
  EXPECT_TRUE(batch[0].is<SkippedFile>());
  EXPECT_TRUE(batch[1].is<DecodedImage>());
  EXPECT_TRUE(batch[2].is<KnownContent>());
  EXPECT_TRUE(batch[3].is<DecodedImage>());
  EXPECT_EQ(batch[2].content, batch[1].content);
  EXPECT_TRUE(stream.next_batch(16).empty());
}

TEST_F(ItemStreamTest, AFileIsNotDecodedWhereItHasTheContentThatTheIndexExpects) {
  const std::string picture = text(encode(".png", draw_picture(60, 50, 1)));
  const std::vector<SourceFile> files = {write("touched.png", picture),
                                         write("other.png", picture + " ")};
  const FeatureCache cache(config_);
  KnownContents known(cache);
  const auto bytes = encode(".png", draw_picture(60, 50, 1));
  known.expect(files[0].path, hash_content(bytes));
  known.expect(files[1].path, hash_content(bytes));
  const std::vector<Item> batch = ItemStream(files, config_, times_, &known).next_batch(16);
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_TRUE(batch[0].is<KnownContent>());
  EXPECT_TRUE(batch[1].is<DecodedImage>());
}

class InSampleOrder : public ItemStreamTest {
 protected:
  // Writes files whose content is their name.
  std::vector<std::string> names_by_rank(std::uint64_t seed) const {
    std::vector<std::string> names = kNames;
    std::ranges::sort(names, {}, [&](const std::string& name) {
      const std::vector<std::uint8_t> bytes(name.begin(), name.end());
      return sample_rank(hash_content(bytes), seed);
    });
    return names;
  }
  std::vector<std::string> names_in_order(const std::vector<SourceFile>& files) {
    std::vector<std::string> names;
    for (const SourceFile& file : in_sample_order(files, config_, times_, [&] { ++read_; })) {
      names.push_back(file.path.substr(file.path.rfind('/') + 1));
    }
    return names;
  }

  static inline const std::vector<std::string> kNames = {"a", "b", "c", "d", "e", "f", "g", "h"};
  std::size_t read_ = 0;  // files
};

TEST_F(InSampleOrder, IsThatOfTheRanksOfTheSeed) {
  std::vector<SourceFile> files;
  std::ranges::transform(kNames, std::back_inserter(files),
                         [&](const std::string& name) { return write(name, name); });
  for (const std::uint32_t seed : {1U, 2U}) {
    config_.codebook.seed = seed;
    EXPECT_EQ(names_in_order(files), names_by_rank(seed)) << seed;
  }
  EXPECT_NE(names_by_rank(1), names_by_rank(2));
  EXPECT_EQ(read_, 2 * kNames.size());
}

TEST_F(InSampleOrder, FilesThatCannotBeReadComeLastAsTheyCame) {
  const std::vector<SourceFile> files = {
      {.path = folder_.path() / "gone-2"}, write("a", "a"), {.path = folder_.path() / "gone-1"}};
  EXPECT_THAT(names_in_order(files), ElementsAre("a", "gone-2", "gone-1"));
}

}  // namespace
}  // namespace lookalike
