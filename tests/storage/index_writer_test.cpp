#include "storage/index_writer.h"

#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "storage/sqlite.h"
#include "tests/storage/encoded.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(IndexTest, CodebookAndSettingsComeBack) {
  EXPECT_EQ(writer_->settings(), (Settings{{"extract.octaves", "4"}}));
  ASSERT_TRUE(writer_->stored_codebook());
  EXPECT_EQ(writer_->stored_codebook()->thresholds, sample_codebook().thresholds);
}

TEST_F(IndexTest, TheWriterReadsWhatItWrote) {
  publish(1, 1);
  EXPECT_EQ(writer_->counts().images, 1U);
  EXPECT_EQ(posted(*writer_), (std::set<ImageId>{1}));
  publish(2, 2);
  remove(1);
  EXPECT_EQ(posted(*writer_), (std::set<ImageId>{2}));
  EXPECT_EQ(writer_->content_hash(), reader().content_hash());
}

TEST_F(IndexTest, ANewIndexHasNoCodebook) {
  const IndexWriter writer(folder_ / "new.db");
  EXPECT_FALSE(writer.stored_codebook());
  EXPECT_THAT(writer.settings(), IsEmpty());
}

TEST_F(IndexTest, TheSameSettingsAreAcceptedAgain) {
  EXPECT_NO_THROW(reopen());
}

TEST_F(IndexTest, OtherSettingsAreRefusedNamingEachDifference) {
  const Error error = error_of([&] {
    writer_->set_codebook(sample_codebook(17), {{"extract.octaves", "5"}, {"extract.new", "1"}});
  });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("extract.octaves is \"4\" in the index and \"5\" now"),
                                  HasSubstr("extract.new is not set in the index and \"1\" now"),
                                  HasSubstr("the codebook is")));
  EXPECT_THAT(error_of([&] { writer_->set_codebook(sample_codebook(), {}); }).what(),
              AllOf(HasSubstr("extract.octaves is \"4\" in the index and not set now"),
                    Not(HasSubstr("the codebook"))));
}

TEST_F(IndexTest, TheSameWordsInCellsAreAnotherCodebook) {
  const Settings settings = writer_->settings();
  EXPECT_THAT(
      error_of([&] { writer_->set_codebook(with_cells(sample_codebook()), settings); }).what(),
      HasSubstr("the codebook is"));
}

TEST_F(IndexTest, PublishedFilesAreKnown) {
  publish(1, 3);
  EXPECT_THAT(writer_->files(), ElementsAre(sample_file(1), sample_file(2), sample_file(3)));
  EXPECT_TRUE(writer_->contains(sample_image(1).content));
  EXPECT_FALSE(writer_->contains(sample_image(4).content));
}

TEST_F(IndexTest, PathsThatAreNoTextComeBack) {
  ImageToStore image = sample_to_store(1);
  image.words.image.file.path = std::string("/p/\xFF\x00\n'", 7);
  publish(image);
  EXPECT_EQ(writer_->files().at(0).path, image.words.image.file.path);
  EXPECT_TRUE(reader().find(image.words.image.file.path));
}

TEST_F(IndexTest, APathMovesToNewContentAndTheOldImageGoes) {
  publish(1, 1);
  ImageToStore changed = sample_to_store(2);
  changed.words.image.file = sample_file(1);
  changed.words.image.file.modified_ns += 1;
  publish(changed);
  EXPECT_THAT(writer_->files(), ElementsAre(changed.words.image.file));
  EXPECT_FALSE(writer_->contains(sample_image(1).content));
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{2}));
}

TEST_F(IndexTest, TheNumberOfARemovedImageIsNotUsedAgain) {
  publish(1, 2);
  remove(2);
  writer_->merge_segments(1);  // drops its tombstone, too
  reopen();
  publish(3, 3);
  EXPECT_EQ(writer_->find(sample_file(1).path), ImageId{1});
  EXPECT_EQ(writer_->find(sample_file(3).path), ImageId{3});
}

TEST_F(IndexTest, ContentThatIsThereOnlyGainsThePath) {
  publish(1, 1);
  ImageToStore copy = sample_to_store(1);
  copy.words.image.file.path = "/photos/copy.jpg";
  publish(copy);
  const IndexReader index = reader();
  EXPECT_EQ(index.counts().images, 1U);
  EXPECT_EQ(index.counts().segments, 1U);
  EXPECT_THAT(index.image(1)->paths, ElementsAre("/photos/1.jpg", "/photos/copy.jpg"));
}

TEST_F(IndexTest, ContentTwiceInOneBatchIsStoredOnce) {
  std::vector<ImageToStore> batch = {sample_to_store(1), sample_to_store(1)};
  batch[1].words.image.file.path = "/photos/copy.jpg";
  writer_->publish(encoded(batch));
  EXPECT_EQ(reader().counts().postings, 20U);
  EXPECT_EQ(reader().counts().files, 2U);
}

TEST_F(IndexTest, AddedPathKeepsTheImageWhenTheFirstGoes) {
  publish(1, 1);
  ImageToStore copy = sample_to_store(1);
  copy.words.image.file.path = "/photos/moved.jpg";
  publish(copy);
  remove(1);
  EXPECT_THAT(reader().image(1)->paths, ElementsAre("/photos/moved.jpg"));
}

TEST_F(IndexTest, PagesHaveThePathsOfTheFirstOneAndLeaveWithIt) {
  std::vector<ImageToStore> batch = {sample_to_store(1), sample_to_store(2), sample_to_store(3)};
  const std::string file = sample_file(1).path;
  batch[1].words.image.file.path = file + "[2]";
  batch[2].words.image.file.path = file + "[7]";
  writer_->publish(encoded(batch));
  ImageToStore copy = sample_to_store(1);
  copy.words.image.file.path = "/photos/copy.tif";
  publish(copy);
  {
    const IndexReader index = reader();
    EXPECT_EQ(index.counts().files, 2U);
    EXPECT_EQ(index.find("/photos/copy.tif[7]"), index.find(file + "[7]"));
    EXPECT_FALSE(index.find(file + "[3]"));
    const StoredImage last = index.image(*index.find(file + "[7]")).value();
    EXPECT_THAT(last.paths, ElementsAre(file + "[7]", "/photos/copy.tif[7]"));
    EXPECT_EQ(last.page, 7U);
    EXPECT_EQ(last.pages, 7U);
    EXPECT_EQ(index.image(*index.find(file))->pages, 7U);
    EXPECT_THAT(index.files_of(last.id), ElementsAre(sample_file(1), copy.words.image.file));
  }
  remove(1);
  EXPECT_THAT(reader().image(2)->paths, ElementsAre("/photos/copy.tif[2]"));
  EXPECT_THAT(check_index(database()), IsEmpty());
  const std::string left = "/photos/copy.tif";
  writer_->remove_paths({&left, 1});
  EXPECT_EQ(reader().counts().images, 0U);
  EXPECT_THAT(posted(reader()), IsEmpty());
  EXPECT_THAT(check_index(database()), IsEmpty());
}

TEST_F(IndexTest, APageNeedsTheFirstOneOfItsFile) {
  ImageToStore page = sample_to_store(1);
  page.words.image.file.path += "[2]";
  EXPECT_EQ(error_of([&] { publish(page); }).kind(), ErrorKind::kInput);
}

TEST_F(IndexTest, PagesThatWereSetAsideAreKnownUntilTheirFileIsReadAgain) {
  publish(1, 1);
  std::vector<SkippedFile> skipped;
  for (const std::string& name : {sample_file(1).path + "[2]", sample_file(1).path + "[2].jpg"}) {
    SkippedFile& file = skipped.emplace_back();
    file.file.path = name;
  }
  writer_->put_in_quarantine(skipped);
  EXPECT_EQ(writer_->quarantine().size(), 2U);
  publish(1, 1);
  EXPECT_THAT(writer_->quarantine(), ElementsAre(skipped[1]));
}

TEST_F(IndexTest, NumbersAreNeverUsedAgain) {
  publish(1, 2);
  remove(2);
  reopen();
  publish(2, 2);
  EXPECT_EQ(reader().find(sample_file(2).path), std::optional<ImageId>(3));
}

TEST_F(IndexTest, SkippedFilesAreKnownUntilTheyAreIndexedOrRemoved) {
  std::vector<SkippedFile> files;
  for (const std::uint64_t number : {3, 1, 2}) {
    files.push_back({sample_file(number), "empty", "The file has no bytes."});
  }
  writer_->put_in_quarantine(files);
  EXPECT_THAT(writer_->quarantine(), ElementsAre(files[1], files[2], files[0]));
  publish(1, 1);
  remove(3);
  EXPECT_THAT(writer_->quarantine(), ElementsAre(files[2]));
}

TEST_F(IndexTest, AnIndexedFileThatIsSkippedLeavesTheIndex) {
  publish(1, 1);
  const SkippedFile skipped{sample_file(1), "unreadable", "Permission denied."};
  writer_->put_in_quarantine({&skipped, 1});
  EXPECT_THAT(writer_->files(), IsEmpty());
  EXPECT_THAT(posted(reader()), IsEmpty());
}

TEST_F(IndexTest, RemovingAnUnknownPathDoesNothing) {
  EXPECT_NO_THROW(remove(5));
}

TEST_F(IndexTest, AHistogramThatDoesNotCountTheFeaturesIsRefused) {
  for (const SparseHistogram& wrong :
       {SparseHistogram{}, SparseHistogram{{2, 1}}, SparseHistogram{{2, 3}}, {{3, 2}}}) {
    ImageToStore image = sample_to_store(1, 2);
    for (IndexedFeature& feature : image.words.features) feature.word = 2;
    image.words.histogram = wrong;
    const Error error = error_of([&] { writer_->publish(encoded({&image, 1})); });
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("its histogram does not count its features"));
  }
  ImageToStore unsorted = sample_to_store(1);
  std::swap(unsorted.words.features.front(), unsorted.words.features.back());
  EXPECT_EQ(error_of([&] { publish(unsorted); }).kind(), ErrorKind::kInput);
}

TEST_F(IndexTest, APublishThatThrowsMidwayLeavesNothing) {
  publish(1, 1);
  const std::string before = reader().content_hash();
  std::vector<ImageToStore> batch = {sample_to_store(2), sample_to_store(3), sample_to_store(4)};
  batch[0].words.image.file = sample_file(1);  // would remove image 1
  batch[2].words.features.back().word = 16;
  batch[2].words.histogram = count_words(batch[2].words.features, &IndexedFeature::word);
  const Error error = error_of([&] { writer_->publish(encoded(batch)); });
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_THAT(error.what(), HasSubstr("/photos/4.jpg: has word 16, and the codebook has 16"));
  EXPECT_EQ(reader().content_hash(), before);
  EXPECT_THAT(writer_->files(), ElementsAre(sample_file(1)));
  publish(2, 4);
  EXPECT_EQ(reader().counts().images, 4U);
}

TEST_F(IndexTest, BrokenContractsAreBugs) {
  ImageToStore blank = sample_to_store(1);
  blank.blank = true;
  EXPECT_EQ(error_of([&] { publish(blank); }).kind(), ErrorKind::kInternal);
  IndexWriter writer(folder_ / "new.db");
  const ImageToStore image = sample_to_store(1);
  EXPECT_EQ(error_of([&] { writer.publish(encoded({&image, 1})); }).kind(), ErrorKind::kInternal);
}

TEST_F(IndexTest, SecondWriterIsRefusedAndToldWho) {
  const Error error = error_of([&] { IndexWriter second(database()); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("index.db: is being written by process "));
}

TEST_F(IndexTest, WhatIsNoIndexIsRefusedAndLeftAsItWas) {
  const Bytes text(3000, 'x');
  write_bytes(folder_ / "text", text);
  EXPECT_EQ(error_of([&] { IndexWriter writer(folder_ / "text"); }).kind(), ErrorKind::kInput);
  EXPECT_EQ(read_bytes(folder_ / "text"), text);
  Connection(folder_ / "other.db", Connection::Mode::kWrite).execute("CREATE TABLE t (x)");
  const Bytes other = read_bytes(folder_ / "other.db");
  EXPECT_EQ(error_of([&] { IndexWriter writer(folder_ / "other.db"); }).kind(), ErrorKind::kInput);
  EXPECT_EQ(read_bytes(folder_ / "other.db"), other);
  EXPECT_EQ(folder_.names().back(), "text");  // and no lock or log
}

// The folders that an index records.
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
  const std::vector<MovedFile> files = {{sample_file(1).path, {"/elsewhere", 3, 4, 5, 6, 7}}};
  writer_->move_files(files);
  EXPECT_EQ(reader().find("/elsewhere"), before);
  EXPECT_FALSE(reader().find(sample_file(1).path));
  EXPECT_EQ(writer_->files().front(), (SourceFile{"/elsewhere", 3, 4, 5, 6, 7}));
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

// An index whose file loses its name while it is being written.
class LostFileTest : public IndexTest {
 protected:
  LostFileTest() {
    publish(1, 5);
    IndexWriter other(folder_ / "other.db");
    other.set_codebook(sample_codebook(), {{"extract.octaves", "4"}});
    const ImageToStore image = sample_to_store(9);
    other.publish(encoded({&image, 1}));
  }

  void replace() {
    other_ = read_bytes(folder_ / "other.db");
    std::filesystem::rename(folder_ / "other.db", database());
  }
  void expect_refusal(const char* what) {
    const Error error = error_of([&] { publish(6, 7); });
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("index.db: was "), HasSubstr(what)));
  }

  Bytes other_;
};

TEST_F(LostFileTest, ReplacedOneIsNoticedAndTheFileInItsPlaceStaysWhole) {
  replace();
  expect_refusal("replaced while it was being written");
  writer_.reset();
  EXPECT_THAT(folder_.names(), ElementsAre("index.db"));
  EXPECT_EQ(read_bytes(database()), other_);
  EXPECT_TRUE(check_index(database()).empty());
}

TEST_F(LostFileTest, ReadersOfTheFileInItsPlaceDoNotTakeTheLog) {
  replace();
  const Error error = error_of([&] { reader(); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("index.db: was replaced while process "));
  writer_.reset();
  EXPECT_EQ(reader().counts().images, 1U);
}

TEST_F(LostFileTest, ReplacedWithinATransactionIsNotCommitted) {
  Connection connection(database(), Connection::Mode::kWrite);
  Transaction transaction(connection);
  replace();
  EXPECT_EQ(error_of([&] { transaction.commit(); }).kind(), ErrorKind::kStorage);
}

TEST_F(LostFileTest, MovedOneKeepsWhatWasPublished) {
  std::filesystem::rename(database(), folder_ / "moved.db");
  replace();
  expect_refusal("replaced");
  writer_.reset();
  EXPECT_EQ(IndexReader(folder_ / "moved.db").counts().images, 5U);
  EXPECT_EQ(read_bytes(database()), other_);
}

TEST_F(LostFileTest, RemovedOneLeavesNothing) {
  std::filesystem::remove(folder_ / "other.db");
  std::filesystem::remove(database());
  expect_refusal("removed or moved away");
  writer_.reset();
  EXPECT_THAT(folder_.names(), IsEmpty());
}

TEST_F(LostFileTest, ReplacedOneIsNotDiscarded) {
  replace();
  writer_->discard();
  writer_.reset();
  EXPECT_EQ(read_bytes(database()), other_);
}

TEST_F(RootsTest, DiscardedIndexLeavesNothing) {
  writer_->discard();
  writer_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace lookalike
