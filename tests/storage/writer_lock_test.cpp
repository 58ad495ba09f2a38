#include "storage/writer_lock.h"

#include <optional>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(WriterLock, SecondHolderIsRefusedAndToldWho) {
  const TemporaryFolder folder;
  const WriterLock lock(folder / "index.db");
  const Error error = error_of([&] { WriterLock(folder / "index.db"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("index.db: is being written by process " + std::to_string(getpid())),
                    HasSubstr(" on "), HasSubstr(" since 20")));
}

TEST(WriterLock, OtherNamesOfTheDatabaseAreTheSameLock) {
  const TemporaryFolder folder;
  const WriterLock lock(folder / "index.db");
  std::filesystem::create_symlink(folder.path(), folder / "link");
  EXPECT_THROW(WriterLock(folder / "link" / "." / "index.db"), Error);
  EXPECT_NO_THROW(WriterLock(folder / "other.db"));
}

TEST(WriterLock, IsFreeAgainAndGoneAfterwards) {
  const TemporaryFolder folder;
  std::optional<WriterLock> lock(std::in_place, folder / "index.db");
  lock.reset();
  EXPECT_THAT(folder.names(), testing::IsEmpty());
  EXPECT_NO_THROW(lock.emplace(folder / "index.db"));
}

TEST(WriterLock, AFileThatAKilledHolderLeftDoesNotMatter) {
  const TemporaryFolder folder;
  const std::string line = "process 1 on elsewhere since 2001\n";
  write_bytes(folder / "index.db.lock", Bytes(line.begin(), line.end()));
  EXPECT_NO_THROW(WriterLock(folder / "index.db"));
}

TEST(WriterLock, NamesItsHolderToWhoOnlyReads) {
  const TemporaryFolder folder;
  EXPECT_EQ(current_writer(folder / "index.db"), std::nullopt);
  std::optional<WriterLock> lock(std::in_place, folder / "index.db");
  EXPECT_THAT(current_writer(folder / "index.db").value_or(""),
              AllOf(HasSubstr("process " + std::to_string(getpid())), HasSubstr(" since 20")));
  lock.reset();
  const std::string line = "process 1 on elsewhere since 2001\n";  // killed
  write_bytes(folder / "index.db.lock", Bytes(line.begin(), line.end()));
  EXPECT_EQ(current_writer(folder / "index.db"), std::nullopt);
}

TEST(WriterLock, AFileOfSomebodyElseIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string text = "bicycle: 3-1-4\n";
  write_bytes(folder / "index.db.lock", Bytes(text.begin(), text.end()));
  EXPECT_THAT(error_of([&] { WriterLock(folder / "index.db"); }).what(),
              HasSubstr("was not written by lookalike"));
  EXPECT_EQ(read_bytes(folder / "index.db.lock"), Bytes(text.begin(), text.end()));
}

TEST(WriterLock, AFolderThatIsNotThereIsAStorageError) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { WriterLock(folder / "no" / "index.db"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace lookalike
