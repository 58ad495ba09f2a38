#include "storage/row_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RowFile, RowsWrittenInAnyOrderAreRead) {
  const TemporaryFolder folder;
  RowFile file(folder.path(), 2);
  EXPECT_EQ(file.rows(), 0U);
  file.write(3, {std::vector<float>{7, 8}, 2});
  file.write(0, {std::vector<float>{1, 2, 3, 4}, 2});
  EXPECT_EQ(file.rows(), 4U);
  EXPECT_THAT(file.read(0, 4), ElementsAre(1, 2, 3, 4, 0, 0, 7, 8));
  EXPECT_THAT(file.read(1, 1), ElementsAre(3, 4));
  EXPECT_THAT(file.read(4, 0), IsEmpty());
}

TEST(RowFile, BatchesAreAllRowsInOrder) {
  const TemporaryFolder folder;
  RowFile file(folder.path(), 1);
  std::vector<float> values(RowFile::kBatchRows + 1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  file.write(0, {values, 1});
  std::vector<std::size_t> firsts;
  std::vector<float> seen;
  file.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
    firsts.push_back(first);
    seen.insert(seen.end(), rows.data(), rows.data() + rows.size());
  });
  EXPECT_THAT(firsts, ElementsAre(0, RowFile::kBatchRows));
  EXPECT_EQ(seen, values);
}

TEST(RowFile, LeavesNothingInTheFolder) {
  const TemporaryFolder folder;
  RowFile file(folder.path(), 2);
  file.write(0, {std::vector<float>{1, 2}, 2});
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(RowFile, RowsThatAreNotThereAreAnError) {
  const TemporaryFolder folder;
  RowFile file(folder.path(), 2);
  file.write(0, {std::vector<float>{1, 2}, 2});
  EXPECT_EQ(error_of([&] { file.read(0, 2); }).kind(), ErrorKind::kInternal);
  EXPECT_EQ(error_of([&] {
              file.write(0, {std::vector<float>{1, 2, 3}, 3});
            }).kind(),
            ErrorKind::kInternal);
  EXPECT_EQ(error_of([&] { RowFile(folder.path(), 0); }).kind(), ErrorKind::kInternal);
}

TEST(RowFile, FolderThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { RowFile(folder / "gone", 2); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(),
              HasSubstr((folder / "gone").string() + ": a temporary file there "
                                                     "cannot be created: No such file"));
}

}  // namespace
}  // namespace lookalike
