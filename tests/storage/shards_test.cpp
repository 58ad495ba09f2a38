// Several databases read as one index, compared with one database of the same content.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/encoded.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShardsTest : public IndexTest {
 protected:
  // The index of the base class has the content of all shards.
  ShardsTest() {
    ImageToStore copy = sample_to_store(3);  // in two shards, under two names
    copy.words.image.file = sample_file(30);
    ImageToStore blank = sample_to_store(8, 0);
    blank.blank = true;
    const std::vector<std::vector<ImageToStore>> shards = {
        {sample_to_store(1), sample_to_store(2), sample_to_store(3), blank},
        {copy, sample_to_store(4)},
        {sample_to_store(5), sample_to_store(6), sample_to_store(7), blank, sample_to_store(3)}};
    for (std::size_t i = 0; i < shards.size(); ++i) {
      databases_.push_back(folder_ / ("abc"[i] + std::string(".db")));
      IndexWriter shard(databases_.back());
      shard.set_codebook(sample_codebook(), writer_->settings());
      for (const ImageToStore& image : shards[i]) {
        shard.publish(encoded({&image, 1}));
        publish(image);
      }
      const SkippedFile skipped{sample_file(50 - i), "empty", ""};
      shard.put_in_quarantine({&skipped, 1});
      writer_->put_in_quarantine({&skipped, 1});
    }
    const std::string gone = sample_file(6).path;
    remove(6);
    IndexWriter(databases_[2]).remove_paths({&gone, 1});
  }

  // Returns the signatures of a word, by the content of their images.
  static std::multimap<ContentHash, std::uint64_t> signatures_of(const IndexReader& index,
                                                                 std::uint32_t word) {
    std::multimap<ContentHash, std::uint64_t> signatures;
    for (const auto& [image, signature] : sorted_postings(index, word)) {
      signatures.emplace(index.content(image), signature);
    }
    return signatures;
  }

  IndexReader whole() const { return reader(); }
  IndexReader together() const { return IndexReader(databases_); }

  std::vector<std::filesystem::path> databases_;
};

TEST_F(ShardsTest, HoldWhatOneIndexHolds) {
  const IndexReader one = whole();
  const IndexReader all = together();
  EXPECT_EQ(all.content_hash(), one.content_hash());
  EXPECT_EQ(all.settings(), one.settings());
  EXPECT_EQ(all.counts().images, one.counts().images);
  EXPECT_EQ(all.counts().blank, one.counts().blank);
  EXPECT_EQ(all.counts().features, one.counts().features);
  EXPECT_EQ(all.counts().words, one.counts().words);
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(signatures_of(all, word), signatures_of(one, word));
  }
  const auto norms_of = [](const IndexReader& index) {
    std::multimap<ContentHash, float> norms;  // a copy would show
    const std::vector<float> by_image = index.norms();
    for (std::size_t image = 0; image < by_image.size(); ++image) {
      if (by_image[image] == IndexReader::kNoNorm) continue;
      norms.emplace(index.content(static_cast<ImageId>(image)), by_image[image]);
    }
    return norms;
  };
  EXPECT_EQ(norms_of(all), norms_of(one));
}

TEST_F(ShardsTest, ImagesAreThoseOfOneIndex) {
  const IndexReader one = whole();
  const IndexReader all = together();
  std::vector<ContentHash> contents;
  for (const ImageId image : all.images_by_content()) contents.push_back(all.content(image));
  std::vector<ContentHash> expected;
  for (const ImageId image : one.images_by_content()) expected.push_back(one.content(image));
  EXPECT_EQ(contents, expected);
  std::size_t visited = 0;
  ImageId last = 0;
  all.for_each_image([&](const StoredImage& image) {
    EXPECT_GT(image.id, last);
    last = image.id;
    ++visited;
    const StoredImage same = one.image(one.find(image.content).value()).value();
    EXPECT_EQ(image.paths, same.paths);
    EXPECT_EQ(image.blank, same.blank);
    EXPECT_EQ(image.sums, same.sums);
    EXPECT_EQ(all.features_with_signatures({&image.id, 1}),
              one.features_with_signatures({&same.id, 1}));
    EXPECT_EQ(all.files_of(image.id), one.files_of(same.id));
    EXPECT_EQ(all.image(image.id)->paths, image.paths);
    EXPECT_EQ(all.find(image.content), image.id);
    for (const std::string& path : image.paths) EXPECT_EQ(all.find(path), image.id);
  });
  EXPECT_EQ(visited, one.counts().images);
}

TEST_F(ShardsTest, ImagesComePageByPage) {
  const IndexReader all = together();
  std::vector<ImageId> visited;
  all.for_each_image([&](const StoredImage& image) { visited.push_back(image.id); });
  std::vector<ImageId> paged;
  for (std::vector<StoredImage> page;
       !(page = all.images_after(paged.empty() ? 0 : paged.back(), 2)).empty();) {
    EXPECT_LE(page.size(), 2U);
    for (const StoredImage& image : page) paged.push_back(image.id);
  }
  EXPECT_EQ(paged, visited);
}

TEST_F(ShardsTest, FilesAndTheQuarantineAreInOneOrder) {
  const IndexReader one = whole();
  const IndexReader all = together();
  EXPECT_EQ(all.files(), one.files());
  std::vector<std::string> visited;
  all.for_each_file([&](const std::string& path, std::int64_t) { visited.push_back(path); });
  EXPECT_TRUE(std::ranges::is_sorted(visited));
  const auto quarantine = all.quarantine(1, 2);
  ASSERT_EQ(quarantine.size(), 2U);
  EXPECT_EQ(quarantine[0].file.path, sample_file(49).path);
  EXPECT_EQ(quarantine[1].file.path, sample_file(50).path);
}

TEST_F(ShardsTest, EntriesOfAFolderAreThoseOfOneIndex) {
  const auto entries = [](const IndexReader& index, const std::string& folder) {
    std::vector<std::pair<std::string, bool>> found;
    index.for_each_entry(folder, "", [&](const std::string& path, bool is_folder) {
      found.emplace_back(path, is_folder);
      return true;
    });
    return found;
  };
  const std::string folder = std::filesystem::path(sample_file(1).path).parent_path();
  EXPECT_GE(entries(whole(), folder).size(), 6U);
  EXPECT_EQ(entries(together(), folder), entries(whole(), folder));
  EXPECT_EQ(entries(together(), "/"), entries(whole(), "/"));
}

TEST_F(ShardsTest, AnImageKeepsItsNumberWhileTheDatabasesGrow) {
  const std::string path = sample_file(4).path;
  const auto before = together().find(path);
  const ImageToStore more = sample_to_store(20);
  IndexWriter(databases_[0]).publish(encoded({&more, 1}));
  EXPECT_EQ(together().find(path), before);
}

TEST_F(ShardsTest, TheNumberOfACopyIsThatOfTheImageItCopies) {
  const IndexReader all = together();
  const ImageId original = all.find(sample_file(3).path).value();
  const IndexReader second(databases_[1]);
  const ImageId own = second.find(sample_file(30).path).value();
  const ImageId copy = ImageNumbers{3, 1}.of(own);
  EXPECT_NE(copy, original);
  EXPECT_EQ(all.image(copy)->id, original);
  EXPECT_THAT(all.image(copy)->paths, ElementsAre(sample_file(3).path, sample_file(30).path));
}

TEST_F(ShardsTest, OtherSettingsAreRefusedByTheirNames) {
  IndexWriter(folder_ / "other.db").set_codebook(sample_codebook(), {{"extract.octaves", "3"}});
  databases_.push_back(folder_ / "other.db");
  const Error error = error_of([&] { together(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("other.db: cannot be searched together with"));
  EXPECT_THAT(error.what(), HasSubstr("extract.octaves"));
}

TEST_F(ShardsTest, TheSameFileTwiceIsRefused) {
  std::filesystem::create_symlink(databases_[0], folder_ / "link.db");
  databases_.push_back(folder_ / "link.db");
  const Error error = error_of([&] { together(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), HasSubstr("is named twice"));
}

}  // namespace
}  // namespace lookalike
