#include "kernels/session/program_cache.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

class ProgramCacheTest : public testing::Test {
 protected:
  ProgramCacheTest() { cache_.store(key_, binary_); }

  std::filesystem::path file() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".clbin") return entry.path();
    }
    return {};
  }
  bool is_guarded() const { return std::filesystem::exists(file().string() + ".loading"); }
  // Loads the binary in a process that dies in its driver.
  void die_while_loading() const {
    const pid_t child = ::fork();
    if (child == 0) {
      static const auto program = cache_.load(key_);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }

  const TemporaryFolder folder_;
  const ProgramCache cache_{folder_.path()};
  const std::string key_ = "device\nsource";
  const std::vector<unsigned char> binary_ = {1, 0, 255, '\n', 7};
};

TEST_F(ProgramCacheTest, GivesBackWhatWasStored) {
  EXPECT_EQ(cache_.load(key_)->binary, binary_);
  EXPECT_FALSE(cache_.load("device\nsourc"));
  cache_.store("empty", {});
  EXPECT_TRUE(cache_.load("empty")->binary.empty());
  EXPECT_FALSE(cache_.load("empty")->is_refused);
}

TEST_F(ProgramCacheTest, DamagedFilesHoldNothing) {
  const std::string whole = *read_file(file());
  const auto is_loaded = [&](const std::string& content) {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << content;
    return cache_.load(key_).has_value();
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(is_loaded(whole.substr(0, size))) << size;
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(is_loaded(flipped)) << bit;
  }
  EXPECT_FALSE(is_loaded(whole + '\0'));
  EXPECT_TRUE(is_loaded(whole));
}

TEST_F(ProgramCacheTest, ABinaryIsGuardedUntilTheDriverHasReadIt) {
  {
    const auto program = cache_.load(key_);
    EXPECT_TRUE(is_guarded());
    EXPECT_EQ(cache_.load(key_)->binary, binary_) << "while another one loads it";
    EXPECT_TRUE(is_guarded());
  }
  EXPECT_FALSE(is_guarded());
  EXPECT_EQ(cache_.load(key_)->binary, binary_);
}

TEST_F(ProgramCacheTest, ABinaryThatAProcessDiedWithIsWrittenAnewOnce) {
  die_while_loading();
  ASSERT_TRUE(is_guarded());
  const auto dropped = cache_.load(key_);
  ASSERT_TRUE(dropped);
  EXPECT_TRUE(dropped->binary.empty());
  EXPECT_FALSE(dropped->is_refused);
  EXPECT_FALSE(is_guarded());
  cache_.store(key_, binary_);
  EXPECT_EQ(cache_.load(key_)->binary, binary_);
}

TEST_F(ProgramCacheTest, ABinaryThatTwoProcessesDiedWithIsNotLoadedAgain) {
  die_while_loading();
  cache_.load(key_);
  cache_.store(key_, binary_);
  die_while_loading();
  ASSERT_TRUE(is_guarded());
  for (int load = 0; load < 2; ++load) {
    const auto program = cache_.load(key_);
    ASSERT_TRUE(program);
    EXPECT_TRUE(program->is_refused);
    EXPECT_TRUE(program->binary.empty());
    EXPECT_FALSE(is_guarded());
  }
}

TEST_F(ProgramCacheTest, OffHasNothing) {
  const ProgramCache off{std::filesystem::path()};
  off.store(key_, binary_);
  EXPECT_FALSE(off.load(key_));
}

}  // namespace
}  // namespace lookalike
