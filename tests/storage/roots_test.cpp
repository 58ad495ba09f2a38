// The folders that an index keeps beside its content.

#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RootsTest : public IndexTest {
 protected:
  void put(const IndexRoot& root) { writer_->put_roots({&root, 1}); }
};

TEST_F(RootsTest, AreReadAsTheyWerePut) {
  publish(1, 2);
  put({.path = "/b\xff",
       .scanned_ns = 5,
       .devices = {{"/b\xff", 1, 0xFFFFFFFFFFFFFFFF}, {"/b\xff/disk", 2, 0}},
       .withheld = {sample_file(1).path, sample_file(2).path}});
  put({.path = "/a"});
  const std::vector<IndexRoot> roots = reader().roots();
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_EQ(roots[0].path, "/a");
  EXPECT_EQ(roots[1].path, "/b\xff");
  EXPECT_EQ(roots[1].scanned_ns, 5);
  EXPECT_THAT(roots[1].devices, ElementsAre(FolderDevice{"/b\xff", 1, 0xFFFFFFFFFFFFFFFF},
                                            FolderDevice{"/b\xff/disk", 2, 0}));
  EXPECT_THAT(roots[1].withheld, ElementsAre(sample_file(1).path, sample_file(2).path));
  EXPECT_EQ(reader().counts().withheld, 2U);
  EXPECT_THAT(check_index(database()), IsEmpty());
}

TEST_F(RootsTest, AreNoContent) {
  publish(1, 2);
  const std::string content = reader().content_hash();
  put({.path = "/a", .withheld = {sample_file(1).path}});
  EXPECT_EQ(reader().content_hash(), content);
}

TEST_F(RootsTest, PuttingOneAgainReplacesWhatWasKnown) {
  publish(1, 2);
  put({.path = "/a",
       .devices = {{"/a", 1, 1}, {"/a/disk", 2, 2}},
       .withheld = {sample_file(1).path}});
  put({.path = "/a", .scanned_ns = 7, .devices = {{"/a", 3, 3}}});
  const std::vector<IndexRoot> roots = writer_->roots();
  ASSERT_EQ(roots.size(), 1U);
  EXPECT_EQ(roots[0].scanned_ns, 7);
  EXPECT_THAT(roots[0].devices, ElementsAre(FolderDevice{"/a", 3, 3}));
  EXPECT_THAT(roots[0].withheld, IsEmpty());
}

TEST_F(RootsTest, FileThatIsIndexedAnewOrRemovedIsWithheldNoMore) {
  publish(1, 3);
  put({.path = "/a", .withheld = {sample_file(1).path, sample_file(2).path, sample_file(3).path}});
  publish(1, 1);
  remove(2);
  EXPECT_THAT(writer_->roots()[0].withheld, ElementsAre(sample_file(3).path));
}

TEST_F(RootsTest, ForgottenOneLeavesItsFiles) {
  publish(1, 2);
  put({.path = "/a", .devices = {{"/a", 1, 1}}, .withheld = {sample_file(1).path}});
  const std::string root = "/a";
  writer_->forget_roots({&root, 1});
  EXPECT_THAT(writer_->roots(), IsEmpty());
  EXPECT_EQ(reader().counts().withheld, 0U);
  EXPECT_EQ(reader().counts().files, 2U);
  EXPECT_THAT(check_index(database()), IsEmpty());
}

TEST_F(RootsTest, MovedFilesKeepTheirImages) {
  publish(1, 2);
  const auto before = reader().find(sample_file(1).path);
  const std::vector<MovedFile> files = {{sample_file(1).path, {"/elsewhere", 3, 4}}};
  writer_->move_files(files);
  EXPECT_EQ(reader().find("/elsewhere"), before);
  EXPECT_FALSE(reader().find(sample_file(1).path));
  EXPECT_EQ(writer_->files().front(), (SourceFile{"/elsewhere", 3, 4}));
  EXPECT_EQ(error_of([&] { writer_->move_files(files); }).kind(), ErrorKind::kInternal);
}

TEST_F(RootsTest, FileThatMovesOntoAnotherReplacesIt) {
  publish(1, 2);
  const auto before = reader().find(sample_file(1).path);
  const std::vector<MovedFile> files = {{sample_file(1).path, sample_file(2)}};
  writer_->move_files(files);
  EXPECT_EQ(reader().find(sample_file(2).path), before);
  EXPECT_EQ(reader().counts().images, 1U);
}

TEST_F(RootsTest, DiscardedIndexLeavesNothing) {
  writer_->discard();
  writer_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace lookalike
