#include "storage/neighbours.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/encoded.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr EdgeKind kByVotes = EdgeKind::kByVotes;

std::vector<ImageId> images_of(const std::vector<Neighbour>& edges) {
  std::vector<ImageId> images(edges.size());
  std::ranges::transform(edges, images.begin(), &Neighbour::image);
  return images;
}

TEST(AddNeighbour, KeepsTheBestVerifiedOnesFirst) {
  std::vector<Neighbour> edges;
  for (const ImageId image : {1, 2, 3, 4}) add_neighbour({image, 0.9, kByVotes}, edges);
  for (const ImageId image : {5, 6, 7, 8}) add_neighbour({image, 0.5}, edges);
  add_neighbour({9, 0.8}, edges);
  EXPECT_THAT(images_of(edges), ElementsAre(9, 5, 6, 7, 8, 1, 2, 3));
  add_neighbour({10, 0.8, kByVotes}, edges);
  EXPECT_THAT(images_of(edges), ElementsAre(9, 5, 6, 7, 8, 1, 2, 3));
}

TEST(AddNeighbour, KeepsTheBetterEdgeToAnImage) {
  constexpr double kHalf = 32. / 63;
  std::vector<Neighbour> edges = {{4, 1}, {3, 1, kByVotes}};
  add_neighbour({3, kHalf}, edges);
  EXPECT_THAT(edges, ElementsAre(Neighbour{4, 1}, Neighbour{3, kHalf}));
  add_neighbour({3, 1, kByVotes}, edges);
  EXPECT_THAT(edges, ElementsAre(Neighbour{4, 1}, Neighbour{3, kHalf}));
}

TEST(AddNeighbour, ChoosesTheSameWhetherOrNotSomeWereStored) {
  std::vector<Neighbour> edges;
  std::vector<Neighbour> stored;
  for (ImageId image = 1; image <= 2 * kMostNeighbours; ++image) {
    const Neighbour edge{image, 0.9925 + 0.0004 * image};  // all rounded to 1
    add_neighbour(edge, edges);
    add_neighbour(edge, stored);
    if (image == kMostNeighbours) stored = decode_neighbours(encode_neighbours(stored));
  }
  EXPECT_EQ(edges, stored);
}

TEST(NeighbourBytes, KeepWhatTheyHold) {
  const std::vector<Neighbour> edges = {
      {300, 1}, {2, 0.5}, {70'000, 1e-9, EdgeKind::kInside}, {9, 0.9, kByVotes}};
  const Bytes bytes = encode_neighbours(edges);
  EXPECT_EQ(bytes.size(), 1 + 1 + 1 + 1 + 2 + 1 + 3 + 1U);
  const std::vector<Neighbour> read = decode_neighbours(bytes);
  EXPECT_THAT(images_of(read), ElementsAre(300, 2, 70'000, 9));
  EXPECT_EQ(read[0], edges[0]);
  EXPECT_NEAR(read[1].weight, 0.5, 1. / 126);
  EXPECT_GT(read[2].weight, 0);
  EXPECT_EQ(read[2].kind, EdgeKind::kInside);
  EXPECT_NEAR(read[3].weight, 0.9, 1. / 126);
  EXPECT_TRUE(read[3].by_votes());
}

TEST(NeighbourBytes, KeepWhichImageStandsIn) {
  const std::vector<Neighbour> edges = {{7, 1, EdgeKind::kStandsIn}, {2, 1}};
  EXPECT_EQ(decode_neighbours(encode_neighbours(edges)), edges);
}

TEST(ReversedEdge, IsInsideWhatIsAroundIt) {
  EXPECT_EQ(reversed({2, 0.5, EdgeKind::kInside}, 1), (Neighbour{1, 0.5, EdgeKind::kAround}));
  EXPECT_EQ(reversed({1, 0.5, EdgeKind::kAround}, 2), (Neighbour{2, 0.5, EdgeKind::kInside}));
  EXPECT_EQ(reversed({2, 0.5, kByVotes}, 1), (Neighbour{1, 0.5, kByVotes}));
}

TEST(NeighbourBytes, DamagedOnesAreRefused) {
  const auto fails = [](const Bytes& bytes) {
    EXPECT_EQ(error_of([&] { decode_neighbours(bytes); }).kind(), ErrorKind::kStorage);
  };
  fails({5});                                      // no weight
  fails({0, 100});                                 // no image
  fails({5, 0});                                   // a weight of nothing
  fails({5, 9, 0, 9});                             // the same image again
  fails({0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 9, 1, 9});  // beyond the last number
  fails(Bytes(2 * (kMostNeighbours + 1), 1));      // too many
}

class NeighboursTest : public IndexTest {
 protected:
  NeighboursTest() { publish(1, 4); }
  // Adds an edge from the second image to the first.
  void link() {
    const std::vector<ImageNeighbours> images = {{2, {{1, 1}}}};
    writer_->put_neighbours(images, 2);
  }
};

TEST_F(NeighboursTest, AreReadAsTheyWereWritten) {
  EXPECT_THAT(writer_->images_to_compare(), ElementsAre(1, 2, 3, 4));
  link();
  EXPECT_THAT(reader().neighbours(2), ElementsAre(Neighbour{1, 1}));
  EXPECT_THAT(reader().neighbours(1), IsEmpty());
  EXPECT_THAT(reader().images_to_compare(), ElementsAre(3, 4));
}

TEST_F(NeighboursTest, AnImageIsRepresentedByALiveOne) {
  const std::vector<ImageNeighbours> images = {
      {2, {{1, 1, EdgeKind::kStandsIn}}}, {3, {{2, 1}}}, {4, {{9, 1, EdgeKind::kStandsIn}}}};
  writer_->put_neighbours(images, 4);
  EXPECT_THAT(reader().represented_images(), ElementsAre(2));
}

TEST_F(NeighboursTest, AreNoPartOfTheContent) {
  const std::string content = reader().content_hash();
  link();
  EXPECT_EQ(reader().content_hash(), content);
}

TEST_F(NeighboursTest, OfARemovedImageAreGone) {
  link();
  remove(2);
  EXPECT_THAT(reader().neighbours(2), IsEmpty());
  EXPECT_THAT(reader().images_to_compare(), ElementsAre(3, 4));
}

TEST_F(NeighboursTest, OfNewAndOfBlankImages) {
  link();
  ImageToStore blank = sample_to_store(5, 0);
  blank.blank = true;
  publish(blank);
  publish(6, 6);
  EXPECT_THAT(reader().images_to_compare(), ElementsAre(3, 4, 6));
}

TEST_F(NeighboursTest, ComeWithTheContentOfAnotherIndex) {
  link();
  IndexWriter other(folder_ / "other.db");
  other.replace_content(database());
  EXPECT_THAT(other.neighbours(2), ElementsAre(Neighbour{1, 1}));
  EXPECT_THAT(other.images_to_compare(), ElementsAre(3, 4));
}

TEST_F(NeighboursTest, DamagedOnesAreReported) {
  link();
  writer_.reset();
  {
    Connection connection(database(), Connection::Mode::kWrite);
    connection.run("UPDATE neighbours SET edges = x'0102'");
  }
  EXPECT_EQ(error_of([&] { reader().neighbours(2); }).kind(), ErrorKind::kStorage);
}

TEST_F(NeighboursTest, OfSeveralDatabasesAreThoseOfEach) {
  link();
  const std::filesystem::path second = folder_ / "second.db";
  {
    // Has the third image alone, and a copy of the second that is like it.
    IndexWriter writer(second);
    writer.set_codebook(sample_codebook(), writer_->settings());
    const std::vector<ImageToStore> images = {sample_to_store(20), sample_to_store(2)};
    writer.publish(encoded(images));
    const std::vector<ImageNeighbours> edges = {{2, {{1, 21.0 / 63, kByVotes}}}};
    writer.put_neighbours(edges, 2);
  }
  const IndexReader both({database(), second});
  const ImageId image = both.find(sample_to_store(2).words.image.content).value();
  const ImageId first = both.find(sample_to_store(1).words.image.content).value();
  const ImageId other = both.find(sample_to_store(20).words.image.content).value();
  EXPECT_THAT(both.neighbours(image),
              ElementsAre(Neighbour{first, 1}, Neighbour{other, 21.0 / 63, kByVotes}));
}

}  // namespace
}  // namespace lookalike
