#include "pipeline/graph/build_graph.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "pipeline/answers.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Indexes three pictures, each in three qualities.
class GraphTest : public IndexRunTest {
 protected:
  GraphTest() {
    config_.extract.enlarge_to_px = RunConfig().extract.enlarge_to_px;
    for (const int quality : {95, 80, 60}) add(quality);
  }
  void add(int quality) const {
    for (unsigned picture = 0; picture < 3; ++picture) {
      write(
          fmt::format("{}-{}.jpg", picture, quality),
          encode(".jpg", draw_picture(320, 240, picture + 1), {cv::IMWRITE_JPEG_QUALITY, quality}));
    }
  }

  using Graph = std::map<std::string, std::vector<Neighbour>>;
  // Returns the edges of all images, by file name.
  Graph graph() const {
    const IndexReader reader = index();
    Graph edges;
    reader.for_each_image(
        [&](const StoredImage& image) { edges[name_of(image)] = reader.neighbours(image.id); });
    return edges;
  }
  // Returns the names of the images that verified edges of an image lead to, sorted.
  std::vector<std::string> verified(const std::string& name) const {
    const IndexReader reader = index();
    const Graph all = graph();
    std::vector<std::string> names;
    for (const Neighbour& edge : all.at(name)) {
      const auto image = reader.image(edge.image);
      if (!edge.by_votes()) names.push_back(image ? name_of(*image) : "removed");
    }
    std::ranges::sort(names);
    return names;
  }
  // Returns the names of the images that are of one print with an image, sorted.
  std::vector<std::string> prints(const std::string& name) const {
    const IndexReader reader = index();
    std::map<std::string, std::vector<PrintEdge>> all;
    reader.for_each_image(
        [&](const StoredImage& image) { all[name_of(image)] = reader.prints(image.id); });
    std::vector<std::string> names;
    for (const PrintEdge& edge : all.at(name)) {
      const auto image = reader.image(edge.image);
      names.push_back(image ? name_of(*image) : "removed");
    }
    std::ranges::sort(names);
    return names;
  }
  static std::string name_of(const StoredImage& image) {
    return std::filesystem::path(image.paths.front()).filename();
  }
};

TEST_F(GraphTest, LinksImagesThatShowTheSameThing) {
  run();
  EXPECT_THAT(verified("0-95.jpg"), ElementsAre("0-60.jpg", "0-80.jpg"));
  EXPECT_THAT(verified("1-80.jpg"), ElementsAre("1-60.jpg", "1-95.jpg"));
  const Graph all = graph();
  for (const auto& [name, edges] : all) {
    for (const Neighbour& edge : edges) EXPECT_TRUE(edge.by_votes() || edge.weight > 0.9) << name;
  }
}

TEST_F(GraphTest, PagesOfOneFormArePrints) {
  const auto page = [](int number) {
    cv::Mat drawn(640, 460, CV_8UC1, cv::Scalar(250));
    for (int line = 0; line < 20; ++line) {
      const std::string text =
          "Field " + std::to_string(line * 7919 % 1000) + ": " +
          (line % 3 == 0 ? std::to_string(number * 104729 * (line + 3)) : "as printed");
      cv::putText(drawn, text, {30, 40 + 28 * line}, cv::FONT_HERSHEY_SIMPLEX, 0.6, cv::Scalar(20),
                  1, cv::LINE_AA);
    }
    return encode(".png", drawn);
  };
  for (const int number : {17, 42, 93}) write(fmt::format("page-{}.png", number), page(number));
  config_.graph.enabled = false;
  run();
  const std::string content = index().content_hash();
  config_.graph.enabled = true;
  run();
  EXPECT_EQ(index().content_hash(), content);
  EXPECT_THAT(prints("page-17.png"), ElementsAre("page-42.png", "page-93.png"));
  const IndexReader reader = index();
  reader.for_each_image([&](const StoredImage& image) {
    const std::size_t others = name_of(image).starts_with("page-") ? 2 : 0;
    EXPECT_EQ(image_answer(reader, image)["same_form"].size(), others) << name_of(image);
  });
  EXPECT_THAT(prints("page-93.png"), ElementsAre("page-17.png", "page-42.png"));
  EXPECT_THAT(verified("page-17.png"), IsEmpty());
  std::filesystem::remove(photos() / "page-42.png");
  write("page-5.png", page(5));
  run();
  EXPECT_THAT(prints("page-17.png"), ElementsAre("page-5.png", "page-93.png"));
}

TEST_F(GraphTest, ScreensWithTheSameBarsAreNotTheSame) {
  for (const unsigned picture : {11, 12, 13}) {
    cv::Mat screen(720, 360, CV_8UC1, cv::Scalar(0));
    draw_picture(360, 60, 7).copyTo(screen(cv::Rect(0, 0, 360, 60)));
    draw_picture(360, 60, 8).copyTo(screen(cv::Rect(0, 660, 360, 60)));
    draw_picture(360, 380, picture).copyTo(screen(cv::Rect(0, 170, 360, 380)));
    write(fmt::format("screen-{}.png", picture), encode(".png", screen));
  }
  run();
  EXPECT_THAT(verified("screen-11.png"), IsEmpty());
}

TEST_F(GraphTest, IsTheSameInOneRunAndInSeveral) {
  config_.images.decode_threads = 1;
  const auto names = [&] {
    std::map<std::string, std::vector<std::string>> all;
    const Graph edges = graph();
    for (const auto& [name, ignored] : edges) all[name] = verified(name);
    return all;
  };
  run();
  add(40);
  run();
  const auto grown = names();
  std::filesystem::remove(config_.store.database);
  run();
  EXPECT_EQ(names(), grown);
  EXPECT_THAT(grown.at("2-40.jpg"), ElementsAre("2-60.jpg", "2-80.jpg", "2-95.jpg"));
  EXPECT_THAT(grown.at("2-95.jpg"), SizeIs(3));
}

// Each of many copies has few neighbours, and none of them takes the place of another picture.
TEST_F(GraphTest, CopiesBeyondTheFirstAreJoinedToThem) {
  constexpr int kCopies = kCopiesThatStand + 12;
  const cv::Mat scene = draw_picture(320, 240, 9);
  write("crop.png", encode(".png", scene(cv::Rect(40, 30, 240, 180))));
  run();
  for (int i = 0; i < kCopies; ++i) {
    cv::Mat frame = scene.clone();
    frame.at<std::uint8_t>(0, 0) = static_cast<std::uint8_t>(i);
    write(fmt::format("frame-{:02}.png", i), encode(".png", frame));
  }
  run();
  const IndexReader reader = index();
  const std::vector<ImageId> represented = reader.represented_images();
  EXPECT_EQ(represented.size(), kCopies - kCopiesThatStand);
  std::size_t that_lead_to_the_crop = 0;
  for (const auto& [name, edges] : graph()) {
    for (const Neighbour& edge : edges) {
      that_lead_to_the_crop += name_of(*reader.image(edge.image)) == "crop.png" ? 1 : 0;
      EXPECT_FALSE(std::ranges::binary_search(represented, edge.image)) << name;
    }
  }
  EXPECT_GE(that_lead_to_the_crop, kCopiesThatStand);
  // Those that come later are joined in any case.
  write("later.png", encode(".png", scene * 0.99));
  run();
  EXPECT_EQ(index().represented_images().size(), represented.size() + 1);
}

// Files of one picture with other bytes are joined to the first without being looked up.
TEST_F(GraphTest, EqualPicturesAreJoinedToTheFirst) {
  const cv::Mat scene = draw_picture(320, 240, 9);
  std::vector<std::uint8_t> bytes = encode(".png", scene);
  write("a.png", bytes);
  write("crop.png", encode(".png", scene(cv::Rect(40, 30, 240, 180))));
  config_.images.decode_threads = 1;
  run();
  for (int i = 0; i < 10; ++i) {
    bytes.push_back(0);
    write(fmt::format("b-{}.png", i), bytes);
    if (i == 4) run();
  }
  run();
  const IndexReader reader = index();
  EXPECT_EQ(reader.represented_images().size(), 10U);
  const ImageId first = reader.find(photos() / "a.png").value();
  const ImageId crop = reader.find(photos() / "crop.png").value();
  for (const auto& [name, edges] : graph()) {
    if (!name.starts_with("b-")) continue;
    ASSERT_FALSE(edges.empty()) << name;
    EXPECT_EQ(edges.front(), (Neighbour{first, 1, EdgeKind::kStandsIn})) << name;
    EXPECT_TRUE(std::ranges::any_of(edges, [&](auto& edge) { return edge.image == crop; })) << name;
  }
  EXPECT_THAT(verified("crop.png"), ElementsAre("a.png"));
}

TEST_F(GraphTest, RemovedImagesAreForgottenWhenNewOnesCome) {
  run();
  std::filesystem::remove(photos() / "0-80.jpg");
  run();
  EXPECT_THAT(verified("0-95.jpg"), ElementsAre("0-60.jpg", "removed"));
  add(40);
  run();
  EXPECT_THAT(verified("0-95.jpg"), ElementsAre("0-40.jpg", "0-60.jpg"));
}

TEST_F(GraphTest, StoppedRunIsMadeUpForByTheNextOne) {
  config_.graph.enabled = false;
  run();
  EXPECT_THAT(graph().at("0-95.jpg"), IsEmpty());
  config_.graph.enabled = true;
  const IndexRunReport stopped = run_stopped(5);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(index().images_to_compare().empty());
  const IndexRunReport next = run();
  EXPECT_FALSE(next.stopped);
  EXPECT_TRUE(index().images_to_compare().empty());
  EXPECT_THAT(verified("0-95.jpg"), ElementsAre("0-60.jpg", "0-80.jpg"));
  EXPECT_EQ(run().device, "");
}

}  // namespace
}  // namespace lookalike
