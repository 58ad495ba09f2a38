#include "storage/prints.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An edge on a grid of 3 x 2 cells, one of which contradicts and one of which agrees.
PrintEdge edge_to(ImageId image, double agreement, std::size_t contradicting = 4) {
  PrintEdge edge{image, agreement, {3, 2, std::vector<bool>(6), std::vector<bool>(6)}};
  edge.cells.contradicting[contradicting] = true;
  edge.cells.exact[0] = true;
  return edge;
}

std::vector<ImageId> images_of(const std::vector<PrintEdge>& edges) {
  std::vector<ImageId> images(edges.size());
  std::ranges::transform(edges, images.begin(), &PrintEdge::image);
  return images;
}

TEST(AddPrint, KeepsTheBestInAnyOrder) {
  std::vector<PrintEdge> edges;
  for (const ImageId image : {1, 2, 3, 4, 5}) add_print(edge_to(image, 0.1 * image), edges);
  EXPECT_THAT(images_of(edges), ElementsAre(5, 4, 3, 2));
  std::vector<PrintEdge> reversed;
  for (const ImageId image : {5, 4, 3, 2, 1}) add_print(edge_to(image, 0.1 * image), reversed);
  EXPECT_EQ(edges, reversed);
  add_print(edge_to(3, 1), edges);
  EXPECT_THAT(images_of(edges), ElementsAre(3, 5, 4, 2));
}

TEST(PrintBytes, KeepWhatTheyHold) {
  const std::vector<PrintEdge> edges = {edge_to(300, 1, 5), edge_to(2, 0)};
  EXPECT_EQ(decode_prints(encode_prints(edges)), edges);
  EXPECT_THAT(decode_prints(encode_prints({})), IsEmpty());
}

TEST(PrintBytes, DamagedOnesAreRefused) {
  const auto fails = [](const Bytes& bytes) {
    EXPECT_EQ(error_of([&] { decode_prints(bytes); }).kind(), ErrorKind::kStorage);
  };
  fails({3});                                 // no rows
  fails({3, 2, 5, 100, 1});                   // a map is lacking
  fails({0, 2, 5, 100});                      // no cells
  fails({3, 2, 0, 100, 1, 1});                // no image
  fails({3, 2, 5, 100, 1, 1, 0, 100, 1, 1});  // the same image again
  Bytes many = {3, 2};
  for (std::size_t i = 0; i <= kMostPrints; ++i) many.insert(many.end(), {1, 100, 1, 1});
  fails(many);
}

class PrintsTest : public IndexTest {
 protected:
  PrintsTest() { publish(1, 3); }
  void link() {
    const std::vector<ImagePrints> prints = {{2, {edge_to(1, 1)}}, {1, {edge_to(2, 1)}}};
    writer_->put_neighbours({}, 2, prints);
  }
};

TEST_F(PrintsTest, AreReadAsTheyWereWrittenAndNoPartOfTheContent) {
  const std::string content = reader().content_hash();
  EXPECT_THAT(reader().images_with_prints(), IsEmpty());
  link();
  EXPECT_THAT(reader().images_with_prints(), ElementsAre(1, 2));
  EXPECT_THAT(reader().prints(2), ElementsAre(edge_to(1, 1)));
  EXPECT_THAT(reader().prints(3), IsEmpty());
  EXPECT_EQ(reader().content_hash(), content);
}

TEST_F(PrintsTest, OfARemovedImageAreGone) {
  link();
  remove(2);
  EXPECT_THAT(reader().prints(2), IsEmpty());
  EXPECT_THAT(reader().images_with_prints(), ElementsAre(1));
}

TEST_F(PrintsTest, ComeWithTheContentOfAnotherIndex) {
  link();
  IndexWriter other(folder_ / "other.db");
  other.replace_content(database());
  EXPECT_THAT(other.prints(2), ElementsAre(edge_to(1, 1)));
}

TEST_F(PrintsTest, DamagedOnesAreReported) {
  link();
  writer_.reset();
  {
    Connection connection(database(), Connection::Mode::kWrite);
    connection.run("UPDATE prints SET edges = x'0302'");
  }
  EXPECT_EQ(error_of([&] { reader().prints(2); }).kind(), ErrorKind::kStorage);
}

}  // namespace
}  // namespace lookalike
