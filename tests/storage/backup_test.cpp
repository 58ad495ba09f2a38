#include "storage/backup.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/index_check.h"
#include "storage/output_file.h"
#include "tests/storage/index_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BackupTest : public IndexTest {
 protected:
  fs::path file() const { return folder_ / "copies/backup.db"; }
  void back_up() const {
    fs::create_directories(file().parent_path());
    OutputGuard guard;
    guard.add_index(database());
    OutputFile copy = guard.open("FILE", file(), backup_kind());
    back_up_index(database(), copy, Progress::Style::kQuiet);
    copy.commit();
  }
  std::string refusal() const {
    try {
      back_up();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(file().parent_path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
};

TEST_F(BackupTest, HasThePublishedContentInOneFile) {
  publish(1, 5);
  back_up();
  EXPECT_THAT(names(), ElementsAre("backup.db"));
  EXPECT_THAT(check_index(file()), IsEmpty());
  EXPECT_EQ(IndexReader(file()).content_hash(), reader().content_hash());
}

TEST_F(BackupTest, PutsNoFilesBesideItsTemporaryOne) {
  publish(1, 5);
  fs::create_directories(file().parent_path());
  const FileDescriptor watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  ASSERT_GE(::inotify_add_watch(watch.number(), file().parent_path().c_str(), IN_CREATE), 0);
  back_up();
  alignas(inotify_event) std::array<char, 4096> events{};
  const ssize_t bytes = ::read(watch.number(), events.data(), events.size());
  ASSERT_GT(bytes, 0);
  const auto* const event = reinterpret_cast<const inotify_event*>(events.data());
  EXPECT_THAT(event->name, HasSubstr(".backup.db."));
  EXPECT_EQ(static_cast<std::size_t>(bytes), sizeof(inotify_event) + event->len) << "and no other";
}

TEST_F(BackupTest, ReplacesAnEarlierOneAndNoOtherIndex) {
  publish(1, 2);
  back_up();
  publish(3, 5);
  back_up();
  EXPECT_EQ(IndexReader(file()).counts().images, 5U);
  IndexWriter(file()).begin_run("index", 1);  // restored: it is in use now
  EXPECT_THAT(refusal(), HasSubstr("belongs to the index"));
  EXPECT_EQ(IndexReader(file()).runs(9).size(), 1U);
  fs::remove(file());
  std::ofstream(file()) << "a text";
  EXPECT_THAT(refusal(), HasSubstr("is a file, but not a backup of lookalike"));
}

TEST_F(BackupTest, OfADamagedIndexIsNotKept) {
  publish(1, 5);
  back_up();
  const std::string before = IndexReader(file()).content_hash();
  Connection(database(), Connection::Mode::kWrite)
      .execute("UPDATE images SET width = width + 1 WHERE id = 2");
  EXPECT_THAT(refusal(), HasSubstr("is damaged, and no backup was made"));
  EXPECT_EQ(IndexReader(file()).content_hash(), before);
  EXPECT_THAT(names(), ElementsAre("backup.db"));
}

TEST_F(BackupTest, GoesOnWhileTheIndexIsWritten) {
  publish(1, 5);
  fs::create_directories(file().parent_path());
  OutputFile copy = OutputFile::unguarded(file());
  {
    Connection index(database(), Connection::Mode::kRead);
    bool is_published = false;
    index.copy_to(
        copy.temporary(),
        [&](std::size_t done, std::size_t all) {
          if (is_published) return;
          EXPECT_LT(done, all);
          publish(6, 6);
          is_published = true;
        },
        1);
  }
  copy.commit();
  EXPECT_THAT(check_index(file()), IsEmpty());
  EXPECT_EQ(IndexReader(file()).counts().images, 5U) << "as it was at the start";
  EXPECT_EQ(reader().counts().images, 6U);
}

}  // namespace
}  // namespace lookalike
