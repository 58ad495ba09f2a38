#include "tools/serve/thumbnail_cache.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::Le;

constexpr std::uint64_t kBytes = 10'000;

class ThumbnailCacheTest : public testing::Test {
 protected:
  static ContentHash content(std::uint8_t number) {
    ContentHash hash{};
    hash[0] = number;
    return hash;
  }
  static std::vector<std::uint8_t> jpeg(std::uint8_t number, std::size_t size = 1000) {
    return std::vector<std::uint8_t>(size, number);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder())) paths.push_back(entry.path());
    return paths;
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const fs::path& file : files()) sum += fs::file_size(file);
    return sum;
  }
  fs::path folder() const { return folder_.path() / "thumbnails"; }
  // Makes all files older.
  void age() const {
    for (const fs::path& file : files()) {
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ThumbnailCacheTest, KeepsEachSizeOfEachContentForTheNextProcess) {
  {
    ThumbnailCache cache(folder(), kBytes);
    cache.store(content(1), 320, jpeg(1));
    cache.store(content(1), 640, jpeg(2));
  }
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(files().at(0)).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  const ThumbnailCache cache(folder(), kBytes);
  EXPECT_EQ(cache.load(content(1), 320), jpeg(1));
  EXPECT_EQ(cache.load(content(1), 640), jpeg(2));
  EXPECT_EQ(cache.load(content(2), 320), std::nullopt);
}

TEST_F(ThumbnailCacheTest, StaysWithinItsBytesAndKeepsWhatIsUsed) {
  ThumbnailCache cache(folder(), kBytes);
  for (std::uint8_t i = 0; i < 50; ++i) {
    cache.store(content(i), 320, jpeg(i));
    EXPECT_THAT(bytes(), Le(kBytes));
    age();
    EXPECT_EQ(cache.load(content(0), 320), jpeg(0)) << "it is used all the time";
  }
  EXPECT_EQ(cache.load(content(49), 320), jpeg(49));
  EXPECT_EQ(cache.load(content(1), 320), std::nullopt);
  // What a kill has left counts, too.
  std::ofstream(folder() / ".left.1.1.tmp") << std::string(2 * kBytes, 'x');
  age();
  const ThumbnailCache next(folder(), kBytes);
  EXPECT_THAT(bytes(), Le(kBytes));
}

TEST_F(ThumbnailCacheTest, ADamagedFileIsMissing) {
  ThumbnailCache cache(folder(), kBytes);
  cache.store(content(1), 320, jpeg(1));
  const fs::path file = files().at(0);
  for (const std::uintmax_t size : {0U, 10U, 60U, 900U}) {
    fs::resize_file(file, size);
    EXPECT_EQ(cache.load(content(1), 320), std::nullopt) << size;
    cache.store(content(1), 320, jpeg(1));
    EXPECT_EQ(cache.load(content(1), 320), jpeg(1));
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('x');
  EXPECT_EQ(cache.load(content(1), 320), std::nullopt);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(content(1), 320), std::nullopt) << "without waiting";
  cache.store(content(1), 320, jpeg(1));
  EXPECT_EQ(cache.load(content(1), 320), jpeg(1));
}

TEST_F(ThumbnailCacheTest, WithoutAFolderOrBytesItIsOff) {
  ThumbnailCache none({}, kBytes);
  none.store(content(1), 320, jpeg(1));
  EXPECT_EQ(none.load(content(1), 320), std::nullopt);
  ThumbnailCache off(folder(), 0);
  off.store(content(1), 320, jpeg(1));
  EXPECT_FALSE(fs::exists(folder()));
  folder_.write("file", "x");
  ThumbnailCache broken(folder_.path() / "file", kBytes);
  broken.store(content(1), 320, jpeg(1));
  EXPECT_EQ(broken.load(content(1), 320), std::nullopt);
}

}  // namespace
}  // namespace lookalike
