#include "storage/index_reader.h"

#include <atomic>
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "storage/blobs.h"
#include "storage/index_check.h"
#include "storage/segments.h"
#include "storage/sqlite.h"
#include "storage/stored_features.h"
#include "tests/rights.h"
#include "tests/storage/encoded.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReaderTest : public IndexTest {
 protected:
  // Opens the index after running SQL on it.
  Error error_after(const char* sql, const std::function<void(const IndexReader&)>& call) {
    writer_.reset();
    Connection(database(), Connection::Mode::kWrite).execute(sql);
    return error_of([&] { call(reader()); });
  }
  void set_rights(std::filesystem::perms folder, std::filesystem::perms file) {
    std::filesystem::permissions(database(), file);
    std::filesystem::permissions(folder_.path(), folder);
  }
};

TEST_F(ReaderTest, WhatWasPublishedComesBack) {
  publish(1, 3);
  const ImageToStore expected = sample_to_store(2);
  const IndexReader index = reader();
  const auto id = index.find(sample_file(2).path);
  ASSERT_TRUE(id);
  const auto image = index.image(*id);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->id, *id);
  EXPECT_THAT(image->paths, ElementsAre(sample_file(2).path));
  EXPECT_EQ(image->content, expected.words.image.content);
  EXPECT_EQ(image->width, 640);
  EXPECT_EQ(image->height, 480);
  EXPECT_FALSE(image->blank);
  EXPECT_EQ(image->feature_count, 20U);
  EXPECT_EQ(image->sums, expected.sums);
  const StoredFeatures features = index.features(*id);
  const Bytes blob = seal_blob(encode_histogram(expected.words.features, 640), *id);
  EXPECT_EQ(features, decode_histogram(blob, *id));
  std::vector<std::uint64_t> signatures;
  for (const IndexedFeature& feature : expected.words.features) {
    signatures.push_back(feature.signature);
  }
  EXPECT_THAT(index.features_with_signatures({&*id, 1}),
              ElementsAre(with_signatures(features, signatures)));
}

// Words that repeat within an image, in several segments with removed images between them.
TEST_F(ReaderTest, SignaturesComeFromThePostingListsInTheOrderOfTheRecord) {
  const std::size_t count = 200;
  std::vector<ImageToStore> images;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    images.push_back(sample_to_store(i, count));
    if (i % 5 == 0) {
      writer_->publish(encoded(std::span(images).last(5)));
      if (i == 15) writer_->merge_segments(1);
    }
  }
  const std::vector<std::string> gone = {sample_file(3).path, sample_file(27).path};
  writer_->remove_paths(gone);
  const IndexReader index = reader();
  const std::vector<ImageId> wanted = {1, 2, 14, 15, 16, 26, 28, 30};
  const auto found = index.features_with_signatures(wanted);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<IndexedFeature>& expected = images[wanted[i] - 1].words.features;
    ASSERT_EQ(found[i].size(), count);
    for (std::size_t j = 0; j < count; ++j) {
      EXPECT_EQ(found[i][j].word, expected[j].word);
      EXPECT_EQ(found[i][j].signature, expected[j].signature);
    }
  }
}

TEST_F(ReaderTest, PostingsThatAnImageLacksAreNamed) {
  publish(1, 2);
  const ImageId image = 1;
  const std::uint32_t word = reader().features(image).words.front();
  const std::string sql = fmt::format("DELETE FROM postings WHERE id = {}", postings_id(1, word));
  const Error error = error_after(sql.c_str(), [&](const IndexReader& index) {
    index.features_with_signatures({&image, 1});
  });
  EXPECT_THAT(error.what(), HasSubstr(fmt::format("postings of word {}: ", word)));
}

TEST_F(ReaderTest, SeveralThreadsReadWhatOneReads) {
  publish(1, 6);
  const IndexReader alone = reader();
  const IndexReader shared = reader();
  constexpr std::size_t kReads = 200;
  std::vector<WordPostings> postings(kReads);
  std::vector<StoredFeatures> features(kReads);
  std::vector<std::optional<StoredImage>> images(kReads);
  std::vector<std::vector<SourceFile>> files(kReads);
  std::vector<std::vector<ImageId>> visited(kReads);
  parallel_for(kReads, 4, [&](std::size_t i) {
    postings[i] = postings_of(shared, static_cast<std::uint32_t>(i % 20));
    const auto id = shared.find(sample_file(1 + i % 6).path).value();
    features[i] = shared.features(id);
    images[i] = shared.image(id);
    files[i] = i % 2 == 0 ? shared.files() : shared.files_of(id);
    shared.for_each_image([&](const StoredImage& image) { visited[i].push_back(image.id); });
  });
  for (std::size_t i = 0; i < kReads; ++i) {
    const WordPostings expected = postings_of(alone, static_cast<std::uint32_t>(i % 20));
    EXPECT_EQ(postings[i].images, expected.images);
    EXPECT_EQ(postings[i].signatures, expected.signatures);
    const auto id = alone.find(sample_file(1 + i % 6).path).value();
    EXPECT_EQ(features[i], alone.features(id));
    EXPECT_EQ(files[i], i % 2 == 0 ? alone.files() : alone.files_of(id));
    EXPECT_THAT(visited[i], ElementsAre(1, 2, 3, 4, 5, 6));
    ASSERT_TRUE(images[i].has_value());
    EXPECT_THAT(images[i]->paths, ElementsAre(sample_file(1 + i % 6).path));
  }
}

TEST_F(ReaderTest, AThreadReadsOverEachConnectionAtTheSameTime) {
  publish(1, 1);
  const IndexReader index = reader();
  const std::size_t connections = index.connections();
  EXPECT_GE(connections, 4U);  // per core
  EXPECT_LE(connections, 16U);
  std::latch all_read(static_cast<std::ptrdiff_t>(connections));
  parallel_for(connections, connections, [&](std::size_t) {
    index.for_each_image([&](const StoredImage&) { all_read.arrive_and_wait(); });
  });
  EXPECT_EQ(IndexWriter(folder_ / "another.db").connections(), 1U);
}

// The connections of a reader begin one after another.
TEST_F(ReaderTest, AllThreadsSeeOneStateWhileAWriterPublishes) {
  publish(1, 1);
  std::atomic<bool> is_done = false;
  std::jthread publishing([&] {
    for (std::uint64_t number = 2; number <= 60; ++number) publish(number, number);
    is_done = true;
  });
  while (!is_done) {
    const IndexReader index = reader();
    const std::uint64_t images = index.counts().images;
    parallel_for(16, 4, [&](std::size_t) {
      EXPECT_TRUE(index.find(sample_file(images).path).has_value());
      EXPECT_FALSE(index.find(sample_file(images + 1).path).has_value());
      EXPECT_FALSE(index.image(static_cast<ImageId>(images + 1)).has_value());
    });
  }
}

TEST_F(ReaderTest, ImagesComePageByPage) {
  publish(1, 5);
  remove(3);
  const IndexReader index = reader();
  std::vector<ImageId> all;
  index.for_each_image([&](const StoredImage& image) { all.push_back(image.id); });
  ASSERT_EQ(all.size(), 4U);
  std::vector<ImageId> paged;
  for (std::vector<StoredImage> page;
       !(page = index.images_after(paged.empty() ? 0 : paged.back(), 3)).empty();) {
    EXPECT_LE(page.size(), 3U);
    for (const StoredImage& image : page) {
      EXPECT_EQ(image.paths, index.image(image.id)->paths);
      paged.push_back(image.id);
    }
  }
  EXPECT_EQ(paged, all);
}

TEST_F(ReaderTest, ImagesComeByContentAndBlankOnesDoNot) {
  publish(1, 6);
  const IndexReader index = reader();
  const std::vector<ImageId> images = index.images_by_content();
  std::vector<ImageId> expected;
  index.for_each_image([&](const StoredImage& image) {
    if (!image.blank) expected.push_back(image.id);
  });
  std::ranges::sort(expected, {}, [&](ImageId id) { return index.image(id)->content; });
  EXPECT_FALSE(images.empty());
  EXPECT_EQ(images, expected);
}

TEST_F(ReaderTest, PostingsOfAWordHoldEachOfItsFeatures) {
  publish(1, 2);
  publish(3, 4);
  std::vector<std::pair<ImageId, std::uint64_t>> expected;
  for (std::uint64_t number = 1; number <= 4; ++number) {
    for (const IndexedFeature& feature : sample_to_store(number).words.features) {
      if (feature.word == 5) expected.emplace_back(number, feature.signature);
    }
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(sorted_postings(reader(), 5), expected);
  EXPECT_THAT(postings_of(reader(), 999).images, IsEmpty());
}

TEST_F(ReaderTest, PostingsOfSeveralWordsAreThoseOfEach) {
  publish(1, 3);
  publish(4, 6);
  const IndexReader index = reader();
  // Neighbours, words far apart, words that no image has, and no words.
  for (const std::vector<std::uint32_t>& words :
       {std::vector<std::uint32_t>{0, 1, 2, 4, 5, 9, 15}, {1, 4'000'000'000}, {16, 17, 99}, {}}) {
    std::vector<std::vector<Bytes>> found(words.size());
    index.for_each_list(words, [&](std::size_t i, const EncodedPostings& list) {
      found[i].emplace_back(list.payload().begin(), list.payload().end());
    });
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::vector<Bytes> alone;
      index.for_each_list(words[i], [&](const EncodedPostings& list) {
        alone.emplace_back(list.payload().begin(), list.payload().end());
      });
      EXPECT_EQ(found[i], alone) << words[i];
      EXPECT_EQ(alone.empty(), words[i] > 15) << words[i];
    }
  }
}

TEST_F(ReaderTest, CodebookAndSettingsComeBack) {
  EXPECT_EQ(reader().settings(), (Settings{{"extract.octaves", "4"}}));
  EXPECT_EQ(reader().codebook().words, sample_codebook().words);
  EXPECT_EQ(reader().codebook().projection, sample_codebook().projection);
}

TEST_F(ReaderTest, CellsOfACodebookComeBack) {
  EXPECT_TRUE(reader().codebook().cells.empty());
  const Codebook codebook = with_cells(sample_codebook());
  IndexWriter(folder_ / "cells.db").set_codebook(codebook, {});
  EXPECT_EQ(IndexReader(folder_ / "cells.db").codebook().cells, codebook.cells);
  EXPECT_THAT(check_index(folder_ / "cells.db"), IsEmpty());
}

TEST_F(ReaderTest, AnIndexWithoutACodebookSaysSo) {
  const IndexWriter writer(folder_ / "new.db");
  const IndexReader index(folder_ / "new.db");
  EXPECT_EQ(error_of([&] { index.codebook(); }).kind(), ErrorKind::kInput);
}

TEST_F(ReaderTest, CountsAddUp) {
  publish(1, 3);
  publish(sample_to_store(4, 0));
  const SkippedFile skipped{sample_file(9), "empty", ""};
  writer_->put_in_quarantine({&skipped, 1});
  remove(1);
  const IndexCounts counts = reader().counts();
  EXPECT_EQ(counts.images, 3U);
  EXPECT_EQ(counts.blank, 1U);
  EXPECT_EQ(counts.files, 3U);
  EXPECT_EQ(counts.quarantined, 1U);
  EXPECT_EQ(counts.features, 40U);
  EXPECT_EQ(counts.words, 16U);
  EXPECT_EQ(counts.postings, 60U);
  EXPECT_EQ(counts.segments, 1U);
  EXPECT_THAT(reader().quarantine(), ElementsAre(skipped));
}

TEST_F(ReaderTest, ListsTheQuarantineInParts) {
  for (const std::uint64_t number : {3, 1, 2}) {
    const SkippedFile skipped{sample_file(number), "empty", ""};
    writer_->put_in_quarantine({&skipped, 1});
  }
  const auto paths_of = [&](std::size_t after, std::size_t count) {
    std::vector<std::string> paths;
    for (const SkippedFile& file : reader().quarantine(after, count))
      paths.push_back(file.file.path);
    return paths;
  };
  EXPECT_THAT(paths_of(0, 2), ElementsAre(sample_file(1).path, sample_file(2).path));
  EXPECT_THAT(paths_of(2, 2), ElementsAre(sample_file(3).path));
  EXPECT_THAT(paths_of(3, 2), IsEmpty());
  EXPECT_EQ(reader().quarantine().size(), 3U);
}

TEST_F(ReaderTest, CountsTheFilesBelowAFolder) {
  std::uint64_t number = 0;
  for (const char* path : {"/a/b/1", "/a/b/c/2", "/a/b/\xFF", "/a/b.jpg", "/a/b0", "/a/b", "/c"}) {
    ImageToStore image = sample_to_store(++number);
    image.words.image.file.path = path;
    publish(image);
  }
  EXPECT_EQ(reader().files_below("/a/b"), 3U);
  EXPECT_EQ(reader().files_below("/a"), 6U);
  EXPECT_EQ(reader().files_below("/"), 7U);
  EXPECT_EQ(reader().files_below("/none"), 0U);
}

TEST_F(ReaderTest, KnowsTheFilesAtAndBelowAPath) {
  std::uint64_t number = 0;
  for (const char* path : {"/a/b/1", "/a/b/c/2", "/a/b.jpg", "/a/b0", "/a/b", "/c"}) {
    ImageToStore image = sample_to_store(++number);
    image.words.image.file.path = path;
    publish(image);
  }
  const SkippedFile skipped{.file = {.path = "/a/b/bad"}, .reason = "unreadable", .detail = ""};
  writer_->put_in_quarantine({&skipped, 1});
  EXPECT_THAT(reader().known_paths("/a/b"), ElementsAre("/a/b", "/a/b/1", "/a/b/bad", "/a/b/c/2"));
  EXPECT_THAT(reader().known_paths("/a/b/bad"), ElementsAre("/a/b/bad"));
  EXPECT_THAT(reader().known_paths("/"), testing::SizeIs(7));
  EXPECT_THAT(reader().known_paths("/a/"), testing::SizeIs(6));
  EXPECT_THAT(reader().known_paths("/none"), IsEmpty());
}

TEST_F(ReaderTest, VisitsWhatLiesRightInAFolder) {
  std::uint64_t number = 0;
  for (const char* path :
       {"/a/b/1", "/a/b/c/2", "/a/b/\xFF", "/a/b.jpg", "/a/b0", "/a/b", "/c", "/a/d/e/f/3"}) {
    ImageToStore image = sample_to_store(++number);
    image.words.image.file.path = path;
    publish(image);
  }
  const auto entries = [&](const std::string& folder, const std::string& after = "",
                           std::size_t most = 10) {
    std::vector<std::string> found;
    reader().for_each_entry(folder, after, [&](const std::string& path, bool is_folder) {
      found.push_back(is_folder ? path + '/' : path);
      return found.size() < most;
    });
    return found;
  };
  EXPECT_THAT(entries("/"), ElementsAre("/a/", "/c"));
  EXPECT_THAT(entries("/a"), ElementsAre("/a/b", "/a/b.jpg", "/a/b/", "/a/b0", "/a/d/"));
  EXPECT_THAT(entries("/a", "/a/b"), ElementsAre("/a/b.jpg", "/a/b/", "/a/b0", "/a/d/"));
  EXPECT_THAT(entries("/a", "/a/b.jpg", 2), ElementsAre("/a/b/", "/a/b0"));
  EXPECT_THAT(entries("/a", "/a/b/"), ElementsAre("/a/b0", "/a/d/"));
  EXPECT_THAT(entries("/a", "/a/d/"), IsEmpty());
  EXPECT_THAT(entries("/a/b"), ElementsAre("/a/b/1", "/a/b/c/", "/a/b/\xFF"));
  EXPECT_THAT(entries("/a/d"), ElementsAre("/a/d/e/"));
  EXPECT_THAT(entries("/a", "/b"), IsEmpty());
  EXPECT_THAT(entries("/none"), IsEmpty());
}

TEST_F(ReaderTest, NormsAreOfTheHistogramsAndLeaveBlankImagesOut) {
  ImageToStore image = sample_to_store(1, 7);
  for (std::size_t i = 0; i < 7; ++i) image.words.features[i].word = i < 3 ? 2 : 7;
  image.words.histogram = {{2, 3}, {7, 4}};
  publish(image);
  publish(sample_to_store(2, 0));
  EXPECT_THAT(reader().norms(), ElementsAre(IndexReader::kNoNorm, 5.0F));
}

TEST_F(ReaderTest, BlankImagesAreKnownWithStatisticsAlone) {
  publish(sample_to_store(1, 0));
  const IndexReader index = reader();
  EXPECT_TRUE(index.image(1)->blank);
  EXPECT_EQ(index.image(1)->sums, sample_to_store(1, 0).sums);
  EXPECT_TRUE(index.features(1).empty());
  EXPECT_EQ(index.counts().segments, 0U);
}

TEST_F(ReaderTest, UnknownImagesAndPathsAreMisses) {
  const IndexReader index = reader();
  EXPECT_FALSE(index.image(1));
  EXPECT_FALSE(index.find("/nowhere"));
  EXPECT_TRUE(index.features(1).empty());
}

TEST_F(ReaderTest, VisitsImagesByIdAndTheVisitorMayRead) {
  publish(1, 3);
  const IndexReader index = reader();
  std::vector<ImageId> ids;
  index.for_each_image([&](const StoredImage& image) {
    ids.push_back(image.id);
    EXPECT_EQ(index.image(image.id)->paths, image.paths);
  });
  EXPECT_THAT(ids, ElementsAre(1, 2, 3));
}

TEST_F(ReaderTest, SeesTheStateThatWasPublishedWhenItWasOpened) {
  publish(1, 2);
  const IndexReader index = reader();
  publish(3, 3);
  remove(1);
  writer_->merge_segments(1);
  EXPECT_EQ(posted(index), (std::set<ImageId>{1, 2}));
  EXPECT_EQ(index.counts().images, 2U);
  EXPECT_TRUE(index.find(sample_file(1).path));
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{2, 3}));
  EXPECT_FALSE(reader().find(sample_file(1).path));
}

TEST_F(ReaderTest, ReadsAFileThatCannotBeWritten) {
  publish(1, 2);
  writer_.reset();
  set_rights(kOpenFolder, kReadOnly);
  const WithoutRootRights without;
  EXPECT_EQ(posted(reader()), (std::set<ImageId>{1, 2}));
}

TEST_F(ReaderTest, ReadsInAFolderThatCannotBeWritten) {
  publish(1, 2);
  writer_.reset();
  set_rights(kReadOnlyFolder, kReadOnly);
  {
    const WithoutRootRights without;
    const IndexReader index = reader();
    EXPECT_EQ(posted(index), (std::set<ImageId>{1, 2}));
    EXPECT_EQ(index.counts().images, 2U);
  }
  set_rights(kOpenFolder, kReadOnly);
}

TEST_F(ReaderTest, AWriterOfAFileThatCannotBeWrittenSaysSo) {
  writer_.reset();
  set_rights(kOpenFolder, kReadOnly);
  const WithoutRootRights without;
  const Error error = error_of([&] { IndexWriter writer(database()); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("it is read-only"));
}

TEST_F(ReaderTest, MissingFilesFoldersAndOtherFilesAreInputErrors) {
  write_bytes(folder_ / "text", Bytes(3000, 'x'));
  write_bytes(folder_ / "empty", {});
  for (const char* name : {"missing", ".", "text", "empty"}) {
    EXPECT_EQ(error_of([&] { IndexReader index(folder_ / name); }).kind(), ErrorKind::kInput)
        << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "missing"));
}

TEST_F(ReaderTest, ANewerIndexIsRefused) {
  const Error error = error_after("PRAGMA user_version = 999", [](const IndexReader&) {});
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("format 999"));
}

TEST_F(ReaderTest, DamagedRecordsAreNamed) {
  publish(1, 2);
  const Error histogram = error_after("UPDATE histograms SET data = zeroblob(9) WHERE image = 2",
                                      [](const IndexReader& index) { index.features(2); });
  EXPECT_EQ(histogram.kind(), ErrorKind::kStorage);
  EXPECT_THAT(histogram.what(), HasSubstr("index.db: histogram of image 2 is damaged"));
  EXPECT_THAT(error_after("UPDATE histograms SET data = x'00'",
                          [](const IndexReader& index) { index.features(1); })
                  .what(),
              HasSubstr("histogram of image 1 is too short"));
  EXPECT_THAT(error_after("UPDATE postings SET data = zeroblob(9)",
                          [](const IndexReader& index) { posted(index); })
                  .what(),
              HasSubstr("postings of word "));
  EXPECT_THAT(error_after("UPDATE codebook SET words = zeroblob(9)",
                          [](const IndexReader& index) { index.codebook(); })
                  .what(),
              HasSubstr("codebook 1 is damaged"));
  EXPECT_EQ(error_of([&] { reader().content_hash(); }).kind(), ErrorKind::kStorage);
}

TEST_F(ReaderTest, RowsThatDoNotMatchTheirChecksumAreNotAnswered) {
  publish(1, 2);
  writer_.reset();
  const auto damage = [&](const char* sql) {
    Connection(database(), Connection::Mode::kWrite).execute(sql);
  };
  damage("UPDATE images SET width = 3 WHERE id = 1");
  EXPECT_THAT(error_of([&] { reader().image(1); }).what(),
              HasSubstr("image 1: its row is damaged"));
  EXPECT_TRUE(reader().image(2));
  damage("UPDATE images SET pixel_sum = 3 WHERE id = 2");
  EXPECT_EQ(error_of([&] { reader().image(2); }).kind(), ErrorKind::kStorage);
  damage("UPDATE settings SET value = '99999999'");
  EXPECT_THAT(error_of([&] { reader().settings(); }).what(), HasSubstr("settings are damaged"));
  damage("INSERT INTO derived (name, value) VALUES ('neighbours.last_compared', '1')");
  EXPECT_THAT(error_of([&] { reader().derived("neighbours.last_compared"); }).what(),
              HasSubstr("table derived: a row does not match"));
  EXPECT_EQ(error_of([&] { reader().images_to_compare(); }).kind(), ErrorKind::kStorage);
  EXPECT_FALSE(reader().derived("other"));
}

TEST_F(ReaderTest, DamagedOrLostSegmentsAreNotPassedOver) {
  publish(1, 2);
  publish(3, 4);
  publish(5, 6);
  remove(2);
  writer_.reset();
  const auto refusal = [&](const char* damage, const char* repair) {
    Connection connection(database(), Connection::Mode::kWrite);
    connection.execute(damage);
    std::string message = error_of([&] { reader(); }).what();
    connection.execute(repair);
    reader();  // intact again
    return message;
  };
  EXPECT_THAT(refusal("UPDATE segments SET posting_count = posting_count + 1 WHERE id = 2",
                      "UPDATE segments SET posting_count = posting_count - 1 WHERE id = 2"),
              HasSubstr("table segments: a row does not match"));
  EXPECT_THAT(refusal("UPDATE tombstones SET image = 1", "UPDATE tombstones SET image = 2"),
              HasSubstr("table tombstones: a row does not match"));
  for (const int lost : {1, 2, 3}) {
    const std::string row = "SELECT * FROM segments WHERE id = " + std::to_string(lost);
    EXPECT_THAT(refusal(("CREATE TEMP TABLE kept AS " + row +
                         "; DELETE FROM segments WHERE id = " + std::to_string(lost))
                            .c_str(),
                        "INSERT INTO segments SELECT * FROM kept; DROP TABLE kept"),
                HasSubstr("postings of a segment that is not listed"))
        << lost;
  }
}

TEST_F(ReaderTest, AnImageThatOtherRowsNameMustExist) {
  publish(1, 2);
  EXPECT_EQ(reader().existing_image(2).id, 2);
  EXPECT_FALSE(reader().image(3));
  const Error error = error_of([&] { reader().existing_image(3); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("image 3: its row is lost"));
}

TEST_F(ReaderTest, DamagedRowsOfFoldersAreNotRead) {
  const IndexRoot root{.path = "/photos",
                       .scanned_ns = 5,
                       .devices = {{.path = "/photos", .device = 1, .file_system = 2}},
                       .withheld = {}};
  writer_->put_roots({&root, 1});
  EXPECT_EQ(reader().roots().size(), 1U);
  Connection(database(), Connection::Mode::kWrite).execute("UPDATE devices SET device = 3");
  EXPECT_THAT(error_of([&] { reader().roots(); }).what(), HasSubstr("table devices: a row"));
}

TEST_F(ReaderTest, AnImageWithoutFileIsDamage) {
  publish(1, 2);
  Connection(database(), Connection::Mode::kWrite).execute("DELETE FROM files WHERE image = 1");
  const Error error = error_of([&] { reader().image(1); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("image 1: it has no file"));
  EXPECT_THAT(error_of([&] { reader().files_of(1); }).what(), HasSubstr("it has no file"));
  EXPECT_EQ(reader().image(2)->paths.size(), 1U);
}

TEST_F(ReaderTest, AFileWithoutItsImageIsDamage) {
  publish(1, 2);
  Connection(database(), Connection::Mode::kWrite)
      .execute("UPDATE files SET image = 7 WHERE image = 2");
  EXPECT_THAT(error_of([&] { reader().find(sample_file(2).path); }).what(),
              HasSubstr("image 7: it has a file, but no row"));
}

TEST_F(ReaderTest, SizesOfTheCodebookThatDoNotFitAreRefused) {
  writer_.reset();
  const std::string damaged = folder_ / "damaged.db";
  for (const char* damage :
       {"word_count = 300000000", "word_count = 0", "word_count = -16", "descriptor_size = 0",
        "descriptor_size = 8", "descriptor_size = -4", "descriptor_size = 4 + (1 << 62)",
        "words = x'5d41684d'", "projection = thresholds", "thresholds = projection"}) {
    std::filesystem::copy_file(database(), damaged,
                               std::filesystem::copy_options::overwrite_existing);
    Connection(damaged, Connection::Mode::kWrite)
        .execute((std::string("UPDATE codebook SET ") + damage).c_str());
    const Error error = error_of([&] { IndexReader(damaged).codebook(); });
    EXPECT_EQ(error.kind(), ErrorKind::kStorage) << damage;
    EXPECT_THAT(error.what(), HasSubstr("codebook 1 ")) << damage;
  }
  Connection(database(), Connection::Mode::kWrite)
      .execute("UPDATE codebook SET word_count = 300000000");
  IndexWriter writer(database());
  const ImageToStore image = sample_to_store(1);
  const Error error = error_of([&] { writer.publish(encoded({&image, 1})); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
}

class ContentHashTest : public IndexTest {
 protected:
  // Returns the content hash of an index with these batches, one publish each.
  std::string hash_of(const std::vector<std::vector<ImageToStore>>& batches) {
    return hash_of(batches, sample_codebook(), {});
  }
  std::string hash_of(const std::vector<std::vector<ImageToStore>>& batches,
                      const Codebook& codebook, const Settings& settings) {
    const TemporaryFolder folder;
    IndexWriter writer(folder / "index.db");
    writer.set_codebook(codebook, settings);
    for (const auto& batch : batches) writer.publish(encoded(batch));
    return IndexReader(folder / "index.db").content_hash();
  }
};

ImageToStore image(std::uint64_t number) {
  return sample_to_store(number);
}

TEST_F(ContentHashTest, DoesNotDependOnOrderOrBatches) {
  const std::string expected = hash_of({{image(1), image(2), image(3)}});
  EXPECT_EQ(expected.size(), 32U);
  EXPECT_EQ(hash_of({{image(3)}, {image(1), image(2)}}), expected);
  EXPECT_EQ(hash_of({{image(2)}, {image(3)}, {image(1)}}), expected);
}

TEST_F(ContentHashTest, DoesNotDependOnPathsAndTimes) {
  ImageToStore elsewhere = image(1);
  elsewhere.words.image.file = {"/elsewhere", 1, 2};
  EXPECT_EQ(hash_of({{elsewhere}}), hash_of({{image(1)}}));
}

TEST_F(ContentHashTest, DoesNotDependOnMergesAndRemovals) {
  publish(1, 1);
  publish(2, 2);
  const std::string expected = reader().content_hash();
  writer_->merge_segments(1);
  EXPECT_EQ(reader().content_hash(), expected);
  publish(3, 3);
  EXPECT_NE(reader().content_hash(), expected);
  remove(3);
  EXPECT_EQ(reader().content_hash(), expected);
}

TEST_F(ContentHashTest, ChangesWithAnythingThatIsIndexed) {
  const std::string before = hash_of({{image(1)}});
  const auto changed = [&](const std::function<void(ImageToStore&)>& change) {
    ImageToStore copy = image(1);
    change(copy);
    return hash_of({{copy}});
  };
  EXPECT_NE(hash_of({{image(1), image(2)}}), before);
  EXPECT_NE(changed([](auto& i) { i.words.image.content[0] ^= 1U; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.image.height += 1; }), before);
  EXPECT_NE(changed([](auto& i) { i.sums.sum += 1; }), before);
  EXPECT_NE(changed([](auto& i) {
              i.words.features.pop_back();
              i.words.histogram = count_words(i.words.features, &IndexedFeature::word);
            }),
            before);
  EXPECT_NE(changed([](auto& i) { i.words.features[0].signature ^= 1U; }), before);
  EXPECT_NE(changed([](auto& i) { i.words.features[0].x += 1; }), before);
  EXPECT_NE(hash_of({{image(1)}}, sample_codebook(17), {}), before);
  EXPECT_NE(hash_of({{image(1)}}, sample_codebook(), {{"a", "b"}}), before);
}

TEST_F(ContentHashTest, BlankImagesCount) {
  EXPECT_NE(hash_of({{sample_to_store(5, 0)}}), hash_of({}));
}

}  // namespace
}  // namespace lookalike
