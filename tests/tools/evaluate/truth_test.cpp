#include "tools/evaluate/truth.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr const char* kHeader = "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n";

std::vector<TruthQuery> parse(const std::string& rows) {
  return read_truth(kHeader + rows, "truth.csv", "/photos");
}

std::string message_for(const std::string& rows) {
  try {
    parse(rows);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

TEST(ReadTruth, RowsOfOneQueryAreGathered) {
  const auto queries =
      parse("q/a.jpg,db/1.jpg,,,,,,,,\nq/b.jpg,,,,,,,,,\nq/a.jpg,db/2.jpg,,,,,,,,\n");
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(queries[0].path, "/photos/q/a.jpg");
  ASSERT_EQ(queries[0].relevant.size(), 2U);
  EXPECT_EQ(queries[0].relevant[1].path, "/photos/db/2.jpg");
  EXPECT_TRUE(queries[1].relevant.empty());
}

TEST(ReadTruth, CornersAreReadInOrder) {
  const auto queries = parse("a.jpg,1.jpg,1,2,3,4,5,6,7,8.5\r\n");
  ASSERT_TRUE(queries.at(0).relevant.at(0).quad);
  EXPECT_EQ((*queries[0].relevant[0].quad)[3], (Point{7, 8.5}));
}

TEST(ReadTruth, TwoColumnsSuffice) {
  const auto queries = read_truth("query,relevant\na.jpg,1.jpg\nb.jpg,\n", "truth.csv", "/");
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(queries[0].relevant.at(0).path, "/1.jpg");
  EXPECT_FALSE(queries[0].relevant[0].quad);
  EXPECT_TRUE(queries[1].relevant.empty());
}

TEST(ReadTruth, PathsMayBeQuoted) {
  const auto queries = parse("\"a, \"\"b\"\".jpg\",\"1\n.jpg\",,,,,,,,\n");
  EXPECT_EQ(queries.at(0).path, "/photos/a, \"b\".jpg");
  EXPECT_EQ(queries[0].relevant.at(0).path, "/photos/1\n.jpg");
}

TEST(ReadTruth, FaultsNameTheRow) {
  EXPECT_THAT(message_for("a.jpg,1.jpg\n"),
              ::testing::HasSubstr("truth.csv: row 2: expected 10 fields"));
  EXPECT_THAT(message_for("a.jpg,,,,,,,,,\n,1.jpg,,,,,,,,\n"),
              ::testing::HasSubstr("truth.csv: row 3: the query is missing"));
  EXPECT_THAT(message_for("a.jpg,1.jpg,1,2,3,4,5,6,7,\n"), ::testing::HasSubstr("all eight"));
  EXPECT_THAT(message_for("a.jpg,1.jpg,1,2,3,4,5,6,7,x\n"), ::testing::HasSubstr("was 'x'"));
  EXPECT_THAT(message_for("a.jpg,1.jpg,1,2,3,4,5,6,7,nan\n"), ::testing::HasSubstr("was 'nan'"));
}

TEST(ReadTruth, AnotherHeaderIsRefused) {
  EXPECT_THROW(read_truth("path,match\n", "truth.csv", "/"), Error);
  EXPECT_THROW(read_truth("", "truth.csv", "/"), Error);
}

}  // namespace
}  // namespace lookalike
