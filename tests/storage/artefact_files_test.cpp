#include "storage/artefact_files.h"

#include <type_traits>

#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

constexpr std::size_t kVersionOffset = 8;

template <typename Record>
void write_all(const std::filesystem::path& file, const std::vector<Record>& records) {
  ArtefactWriter<Record> writer(OutputFile::unguarded(file));
  for (const Record& record : records) writer.write(record);
  writer.finish();
}

template <typename Record>
std::vector<Record> read_all(const std::filesystem::path& file) {
  ArtefactReader<Record> reader(file);
  std::vector<Record> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

// Returns the bytes of a small words file.
Bytes small_file(const TemporaryFolder& folder) {
  write_all<ImageWords>(folder / "small", {sample_words(1, 2, 9), sample_words(2, 0, 9)});
  return read_bytes(folder / "small");
}

TEST(ArtefactFiles, FeaturesComeBackBitForBit) {
  const TemporaryFolder folder;
  write_all<ImageFeatures>(folder / "f", {sample_features(1, 40), sample_features(2, 0)});
  const auto records = read_all<ImageFeatures>(folder / "f");
  ASSERT_EQ(records.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ImageFeatures expected = sample_features(i + 1, i == 0 ? 40 : 0);
    EXPECT_EQ(records[i].image, expected.image);
    EXPECT_EQ(records[i].features.descriptor_size, expected.features.descriptor_size);
    EXPECT_EQ(records[i].features.keypoints, expected.features.keypoints);
    EXPECT_EQ(records[i].features.descriptors, expected.features.descriptors);
  }
}

TEST(ArtefactFiles, StatisticsComeBack) {
  const TemporaryFolder folder;
  const ImageStatistics expected{sample_image(7), {1, ~0ULL, 1ULL << 63U}};
  write_all<ImageStatistics>(folder / "s", {expected});
  const auto records = read_all<ImageStatistics>(folder / "s");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].image, expected.image);
  EXPECT_EQ(records[0].sums, expected.sums);
}

TEST(ArtefactFiles, WordsComeBackBitForBit) {
  const TemporaryFolder folder;
  const ImageWords expected = sample_words(3, 50, 20);
  write_all<ImageWords>(folder / "w", {expected});
  const auto records = read_all<ImageWords>(folder / "w");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].image, expected.image);
  EXPECT_EQ(records[0].features, expected.features);
  EXPECT_EQ(records[0].histogram, expected.histogram);
}

TEST(ArtefactFiles, SkippedFilesComeBackWithPathsThatAreNoText) {
  const TemporaryFolder folder;
  SkippedFile expected{sample_file(1), "undecodable", "The image ends early."};
  expected.file.path = std::string("/p/\xFF\x00 \n", 7);
  write_all<SkippedFile>(folder / "k", {expected});
  EXPECT_THAT(read_all<SkippedFile>(folder / "k"), testing::ElementsAre(expected));
}

TEST(ArtefactFiles, AManifestComesBackAndIsNoOtherFile) {
  const TemporaryFolder folder;
  const std::vector<SourceFile> files = {sample_file(1), {"/p/\xFF \n", 0, -1}};
  write_all<SourceFile>(folder / "m", files);
  EXPECT_EQ(read_all<SourceFile>(folder / "m"), files);
  const Error error = error_of([&] { read_all<SkippedFile>(folder / "m"); });
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_THAT(error.what(), HasSubstr("is a manifest file, expected skipped"));
}

TEST(ArtefactFiles, AFileOfNoRecordsComesBack) {
  const TemporaryFolder folder;
  write_all<ImageWords>(folder / "none", {});
  ArtefactReader<ImageWords> reader(folder / "none");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(ArtefactFiles, CodebookComesBackAndItsHashTellsCodebooksApart) {
  const TemporaryFolder folder;
  const Codebook expected = sample_codebook();
  write_codebook(OutputFile::unguarded(folder / "c"), expected);
  const Codebook codebook = read_codebook(folder / "c");
  EXPECT_EQ(codebook.descriptor_size, expected.descriptor_size);
  EXPECT_EQ(codebook.words, expected.words);
  EXPECT_EQ(codebook.projection, expected.projection);
  EXPECT_EQ(codebook.thresholds, expected.thresholds);
  EXPECT_EQ(codebook_hash(codebook), codebook_hash(expected));
  Codebook other = expected;
  other.thresholds.back() += 1;
  EXPECT_NE(codebook_hash(other), codebook_hash(expected));
}

TEST(ArtefactFiles, ACodebookWithoutWordsIsRefused) {
  const Bytes record = encode_record(sample_codebook(0));
  const Error error = error_of([&] { decode_record<Codebook>(record); });
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_THAT(error.what(), HasSubstr("has no words"));
}

TEST(ArtefactFiles, ACodebookWithCellsComesBack) {
  const TemporaryFolder folder;
  const Codebook expected = with_cells(sample_codebook());
  write_codebook(OutputFile::unguarded(folder / "cells"), expected);
  const Codebook codebook = read_codebook(folder / "cells");
  EXPECT_EQ(codebook.words, expected.words);
  EXPECT_EQ(codebook.cells, expected.cells);
  EXPECT_EQ(codebook_hash(codebook), codebook_hash(expected));
  EXPECT_NE(codebook_hash(codebook), codebook_hash(sample_codebook()));
}

TEST(ArtefactFiles, CellsThatDoNotFitTheWordsAreRefused) {
  const Codebook codebook = with_cells(sample_codebook());
  const Bytes payload = encode_record(codebook);
  const std::size_t at = encode_record(sample_codebook()).size();
  const auto refusal = [&](std::size_t place, std::uint8_t value) {
    Bytes damaged = payload;
    damaged[at + place] = value;
    const Error error = error_of([&] { decode_record<Codebook>(damaged); });
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return std::string(error.what());
  };
  const std::string unfit = "has cells that do not fit its words";
  EXPECT_EQ(refusal(0, 0), unfit);            // no cell is searched
  EXPECT_EQ(refusal(0, 9), unfit);            // more than kMaxProbes are
  EXPECT_EQ(refusal(8, 1), unfit);            // words before the first cell
  EXPECT_EQ(refusal(12, 0), unfit);           // a cell without words
  EXPECT_EQ(refusal(16, 5), unfit);           // descending
  EXPECT_EQ(refusal(20, 17), unfit);          // words beyond the codebook
  EXPECT_EQ(refusal(4, 0xFF), "ends early");  // more cells than bytes
  EXPECT_EQ(refusal(4, 2), unfit);            // fewer
  Codebook unfit_cells = codebook;
  unfit_cells.cells.centres.pop_back();
  EXPECT_EQ(error_of([&] { encode_record(unfit_cells); }).kind(), ErrorKind::kInternal);
}

TEST(ArtefactFiles, PartsThatDoNotFitEachOtherAreABug) {
  const TemporaryFolder folder;
  Codebook codebook = sample_codebook();
  codebook.thresholds.pop_back();
  EXPECT_EQ(error_of([&] { write_codebook(OutputFile::unguarded(folder / "c"), codebook); }).kind(),
            ErrorKind::kInternal);
  ImageFeatures features = sample_features(1, 2);
  features.features.descriptors.pop_back();
  EXPECT_THROW(write_all<ImageFeatures>(folder / "f", {features}), Error);
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(ArtefactFiles, TheSameRecordsGiveTheSameBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(small_file(folder), small_file(folder));
}

TEST(ArtefactFiles, TruncationIsNoticedAtEveryLength) {
  const TemporaryFolder folder;
  const Bytes whole = small_file(folder);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(folder / "cut", ByteView(whole).first(size));
    EXPECT_EQ(error_of([&] { read_all<ImageWords>(folder / "cut"); }).kind(), ErrorKind::kInput)
        << "cut to " << size;
  }
}

TEST(ArtefactFiles, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  const Bytes whole = small_file(folder);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    write_bytes(folder / "flipped", damaged);
    EXPECT_EQ(error_of([&] { read_all<ImageWords>(folder / "flipped"); }).kind(), ErrorKind::kInput)
        << "bit " << bit;
  }
}

TEST(ArtefactFiles, BytesAfterTheEndAreNoticed) {
  const TemporaryFolder folder;
  Bytes longer = small_file(folder);
  longer.push_back(0);
  write_bytes(folder / "longer", longer);
  EXPECT_THAT(error_of([&] { read_all<ImageWords>(folder / "longer"); }).what(),
              HasSubstr("after its end"));
}

TEST(ArtefactFiles, ARepeatedRecordIsNoticed) {
  const TemporaryFolder folder;
  write_all<ImageWords>(folder / "one", {sample_words(1, 2, 9)});
  const Bytes one = read_bytes(folder / "one");
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kFooter = 24;
  Bytes twice = one;
  twice.insert(twice.begin() + kHeader, one.begin() + kHeader,
               one.end() - static_cast<std::ptrdiff_t>(kFooter));
  write_bytes(folder / "twice", twice);
  EXPECT_THAT(error_of([&] { read_all<ImageWords>(folder / "twice"); }).what(),
              HasSubstr("record 2 is damaged"));
}

TEST(ArtefactFiles, SomethingElseIsRefusedByName) {
  const TemporaryFolder folder;
  write_bytes(folder / "photo.jpg", Bytes(100, 0xD8));
  const Error error = error_of([&] { ArtefactReader<ImageWords>(folder / "photo.jpg"); });
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_THAT(error.what(), HasSubstr("photo.jpg: is not an artefact file"));
}

TEST(ArtefactFiles, AnotherTypeIsRefusedByBothNames) {
  const TemporaryFolder folder;
  small_file(folder);
  EXPECT_THAT(error_of([&] { ArtefactReader<ImageFeatures>(folder / "small"); }).what(),
              HasSubstr("is a words file, expected features"));
  EXPECT_THAT(error_of([&] { read_codebook(folder / "small"); }).what(),
              HasSubstr("is a words file, expected codebook"));
}

TEST(ArtefactFiles, OtherVersionsAreRefused) {
  const TemporaryFolder folder;
  Bytes bytes = small_file(folder);
  bytes[kVersionOffset] = 0;
  write_bytes(folder / "old", bytes);
  EXPECT_THAT(error_of([&] { ArtefactReader<ImageWords>(folder / "old"); }).what(),
              HasSubstr("has format version 0, and this program reads version 2"));
  bytes[kVersionOffset] = 3;
  write_bytes(folder / "new", bytes);
  EXPECT_THAT(error_of([&] { ArtefactReader<ImageWords>(folder / "new"); }).what(),
              HasSubstr("has format version 3"));
}

TEST(ArtefactFiles, MissingFilesAndFoldersAreInputErrors) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { ArtefactReader<ImageWords>(folder / "missing"); }).kind(),
            ErrorKind::kInput);
  EXPECT_EQ(error_of([&] { ArtefactReader<ImageWords>(folder.path()); }).kind(), ErrorKind::kInput);
}

TEST(ArtefactFiles, UnfinishedWritersLeaveNothingAndKeepWhatWasThere) {
  const TemporaryFolder folder;
  const Bytes before = small_file(folder);
  {
    ArtefactWriter<ImageWords> writer(OutputFile::unguarded(folder / "small"));
    writer.write(sample_words(9, 2, 9));
    EXPECT_EQ(folder.names().size(), 2U);
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("small"));
  EXPECT_EQ(read_bytes(folder / "small"), before);
}

TEST(ArtefactKind, IsAFileOfItsTypeOfRecordInAnyVersion) {
  const TemporaryFolder folder;
  Bytes bytes = small_file(folder);
  const auto is = [&](const OutputKind& kind, std::size_t size = 12) {
    return kind.is_earlier({reinterpret_cast<const char*>(bytes.data()), size});
  };
  EXPECT_TRUE(is(artefact_kind<ImageWords>()));
  EXPECT_FALSE(is(artefact_kind<ImageWords>(), 11));
  EXPECT_FALSE(is(artefact_kind<ImageFeatures>()));
  EXPECT_FALSE(is(artefact_kind<Codebook>()));
  bytes[8] = 7;  // the version
  EXPECT_TRUE(is(artefact_kind<ImageWords>()));
  bytes[0] = 'l';
  EXPECT_FALSE(is(artefact_kind<ImageWords>()));
}

TEST(ArtefactFiles, WritingWhereNothingCanBeWrittenIsAStorageError) {
  const TemporaryFolder folder;
  const Error error =
      error_of([&] { ArtefactWriter<ImageWords>(OutputFile::unguarded(folder / "no/such/file")); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace lookalike
