#include "storage/index_watch.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/index_reader.h"
#include "tests/rights.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

class IndexWatchTest : public IndexTest {
 protected:
  std::uintmax_t log_bytes() const { return fs::file_size(database().string() + "-wal"); }
  void write(std::size_t bytes) { writer_->set_derived("test", std::string(bytes, 'x')); }
};

TEST_F(IndexWatchTest, SeesWhatIsPublishedAndFilesThatAreReplaced) {
  publish(1, 1);
  IndexWatch watch(database());
  EXPECT_FALSE(watch.has_changed());
  publish(2, 2);
  EXPECT_TRUE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed());
  write(10);
  EXPECT_TRUE(watch.has_changed());
  writer_.reset();
  fs::copy_file(database(), folder_ / "copy.db");
  fs::rename(folder_ / "copy.db", database());
  EXPECT_TRUE(watch.has_changed());
  EXPECT_FALSE(watch.has_changed());
  fs::remove(database());
  EXPECT_THROW(watch.has_changed(), Error);
  EXPECT_THROW(watch.has_changed(), Error);
}

TEST_F(IndexWatchTest, EmptiesTheLogOnceNoReaderNeedsIt) {
  publish(1, 1);
  IndexWatch watch(database());
  std::optional<IndexReader> before(database());
  write(100'000);
  std::optional<IndexReader> after(database());
  watch.has_changed();
  EXPECT_FALSE(watch.empty_log(0)) << "not all of it can be moved yet";
  EXPECT_GT(log_bytes(), 100'000U);
  before.reset();
  EXPECT_TRUE(watch.empty_log(0)) << "only the other reader keeps it";
  EXPECT_GT(log_bytes(), 100'000U);
  after.emplace(database());
  EXPECT_FALSE(watch.empty_log(0));
  EXPECT_EQ(log_bytes(), 0U);
  EXPECT_FALSE(watch.has_changed()) << "an emptied log is no change";
  EXPECT_TRUE(after->image(1)) << "the reader goes on";
  publish(2, 2);
  EXPECT_FALSE(after->image(2));
  EXPECT_TRUE(IndexReader(database()).image(2));
}

TEST_F(IndexWatchTest, LeavesShortLogsAlone) {
  write(100'000);
  IndexWatch watch(database());
  EXPECT_FALSE(watch.empty_log(10'000'000));
  EXPECT_GT(log_bytes(), 100'000U);
}

TEST_F(IndexWatchTest, SeesChangesOfAnIndexInAFolderThatItCannotWrite) {
  publish(1, 1);
  writer_.reset();  // removes the log
  fs::permissions(database(), kReadOnly);
  fs::permissions(folder_.path(), kReadOnlyFolder);
  std::optional<IndexWatch> watch;
  {
    const WithoutRootRights without;
    watch.emplace(database());
    EXPECT_FALSE(watch->has_changed());
  }
  fs::last_write_time(database(), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  const WithoutRootRights without;
  EXPECT_TRUE(watch->has_changed());
  EXPECT_FALSE(watch->has_changed());
}

TEST_F(IndexWatchTest, LeavesAnIndexThatItCannotWriteAlone) {
  write(100'000);
  fs::permissions(folder_.path(), kOpenFolder);
  fs::permissions(database(), kReadOnly);
  const WithoutRootRights without;
  IndexWatch watch(database());
  EXPECT_FALSE(watch.empty_log(0));
  EXPECT_GT(log_bytes(), 100'000U);
}

}  // namespace
}  // namespace lookalike
