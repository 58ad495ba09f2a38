#include "stages/match/neighbour_join.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

// An index of views of two scenes, and of one of them in two qualities.
class NeighbourJoinTest : public MatcherTest {
 protected:
  NeighbourJoinTest() {
    const cv::Mat first = draw_picture(900, 700, 71);
    const cv::Mat second = draw_picture(900, 700, 72);
    add(first(cv::Rect(0, 0, 640, 480)));
    add(second(cv::Rect(0, 0, 640, 480)));
    add(first(cv::Rect(90, 70, 640, 480)));
    add(first(cv::Rect(90, 70, 640, 480)), 70);
    publish(features_, database_);
  }

  void add(const cv::Mat& picture, int quality = 95) {
    const std::string path = (views_.path() / (std::to_string(features_.size()) + ".jpg")).string();
    cv::imwrite(path, picture, {cv::IMWRITE_JPEG_QUALITY, quality});
    features_.push_back(features_of(path));
  }

  // Returns the edges of all images, and counts the pictures that were read.
  std::vector<std::vector<Neighbour>> edges() {
    read_ = 0;
    const PictureLoaders loaders{[&](const StoredImage& image, WantedSize size) {
                                   ++read_;
                                   return load_picture(image, size);
                                 },
                                 load_colours};
    const IndexReader reader(database_);
    const Matcher matcher(*session, reader, {}, {}, loaders);
    std::vector<NeighbourJoin::Image> batch;
    for (const ImageId image : reader.images_to_compare()) {
      if (image <= last_) batch.push_back({image});
    }
    const auto join = matcher.join(
        batch, [](ImageId, ImageId) { return true; }, [] {});
    EXPECT_EQ(join->read(0), batch.size());
    std::vector<std::vector<Neighbour>> all;
    for (std::size_t i = 0; i < batch.size(); ++i) all.push_back(join->neighbours(i).edges);
    return all;
  }

  static std::vector<ImageId> verified(const std::vector<Neighbour>& edges) {
    std::vector<ImageId> images;
    for (const Neighbour& edge : edges) {
      if (!edge.by_votes()) images.push_back(edge.image);
    }
    return images;
  }

  const TemporaryFolder views_;
  const std::string database_ = (views_.path() / "views.db").string();
  std::vector<ImageFeatures> features_;
  ImageId last_ = 4;
  std::atomic<int> read_ = 0;
};

TEST_F(NeighbourJoinTest, PicturesAreNotReadWhereFeaturesAreSure) {
  last_ = 3;
  const auto all = edges();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(verified(all[2]), testing::ElementsAre(1));
  EXPECT_GT(all[2].front().weight, 0.94);
  EXPECT_EQ(read_, 0);
}

TEST_F(NeighbourJoinTest, PossibleCopiesAreComparedByPixels) {
  const auto all = edges();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_THAT(verified(all[3]), testing::UnorderedElementsAre(1, 3));
  EXPECT_EQ(read_, 2);
}

}  // namespace
}  // namespace lookalike
