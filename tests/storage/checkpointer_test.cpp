#include "storage/checkpointer.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/index_writer.h"
#include "storage/schema.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

constexpr std::uintmax_t kMiB = 1 << 20;

class CheckpointerTest : public ::testing::Test {
 protected:
  // One transaction.
  void write(std::size_t bytes) {
    writer_.run("INSERT OR REPLACE INTO derived VALUES ('value', ?, 0)",
                std::string(bytes, static_cast<char>('a' + written_++ % 26)));
  }
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(file_.string() + "-wal"); }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "index.db";
  Connection writer_ = open_for_writing(file_);
  int written_ = 0;
};

TEST_F(CheckpointerTest, TheLogStaysBelowItsLimit) {
  Checkpointer checkpointer(writer_);
  for (int i = 0; i < 60; ++i) write(4 * kMiB);
  EXPECT_LT(log_bytes(), 70 * kMiB);
}

TEST_F(CheckpointerTest, CommitsLeaveTheCopyToItsThread) {
  const auto pages_for_sqlite = [&] { return writer_.first<int>("PRAGMA wal_autocheckpoint"); };
  EXPECT_GT(pages_for_sqlite(), 0);
  {
    Checkpointer checkpointer(writer_);
    EXPECT_EQ(pages_for_sqlite(), 0);
    write(8 * kMiB);
    checkpointer.wait();
    EXPECT_GT(std::filesystem::file_size(file_), 8 * kMiB);
  }
  EXPECT_GT(pages_for_sqlite(), 0);
}

TEST_F(CheckpointerTest, AnIndexWriterHasOne) {
  const IndexWriter writer(folder_.path() / "other.db");
  struct Opened : IndexWriter {
    using IndexWriter::connection;
  };
  EXPECT_EQ((writer.*&Opened::connection)().first<int>("PRAGMA wal_autocheckpoint"), 0);
}

TEST_F(CheckpointerTest, AReaderOfAnOldStateIsNotDisturbed) {
  write(1);
  Connection reader(file_, Connection::Mode::kRead);
  reader.execute("BEGIN");
  const auto before = reader.first<std::string>("SELECT value FROM derived");
  Checkpointer checkpointer(writer_);
  for (int i = 0; i < 20; ++i) write(8 * kMiB);
  EXPECT_EQ(reader.first<std::string>("SELECT value FROM derived"), before);
  EXPECT_GT(log_bytes(), 150 * kMiB);  // its pages are kept
  reader.execute("COMMIT");
  for (int i = 0; i < 10; ++i) {
    write(8 * kMiB);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(reader.first<std::string>("SELECT value FROM derived"),
            std::string(8 * kMiB, static_cast<char>('a' + (written_ - 1) % 26)));
  EXPECT_LT(log_bytes(), 70 * kMiB);
}

TEST_F(CheckpointerTest, TheFileIsCompleteAfterTheEnd) {
  {
    Checkpointer checkpointer(writer_);
    for (int i = 0; i < 5; ++i) write(8 * kMiB);
  }
  writer_ = open_for_writing(folder_.path() / "other.db");  // closes the first
  EXPECT_FALSE(std::filesystem::exists(file_.string() + "-wal"));
  Connection reader(file_, Connection::Mode::kRead);
  EXPECT_EQ(reader.first<std::int64_t>("SELECT length(value) FROM derived"), 8 * kMiB);
}

}  // namespace
}  // namespace lookalike
