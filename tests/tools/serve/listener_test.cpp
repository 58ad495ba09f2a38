#include "tools/serve/listener.h"

#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

TEST(Listener, TheGroupMayUseASocketWhateverTheUmask) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "socket";
  for (const mode_t mask : {0022U, 0077U, 0U}) {
    const mode_t before = ::umask(mask);
    {
      const Listener listener("unix:" + file);
      EXPECT_EQ(fs::status(file).permissions(), static_cast<fs::perms>(0660)) << mask;
    }
    EXPECT_EQ(::umask(before), mask) << "left as it was";
  }
}

TEST(Listener, TheUrlCanBeOpened) {
  EXPECT_THAT(Listener("127.0.0.1:0").url(), testing::StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(Listener("localhost:0").address(), "127.0.0.1");
  EXPECT_THAT(Listener("localhost:0").outer_addresses(), testing::IsEmpty());
  const Listener any("0.0.0.0:0");
  EXPECT_THAT(any.url(), testing::MatchesRegex("http://localhost:[0-9]+"));
  EXPECT_EQ(any.address(), "0.0.0.0");
  EXPECT_TRUE(any.is_any());
  EXPECT_FALSE(any.is_loopback());
}

TEST(Listener, RefusesPortsThatAreNone) {
  // 80000 is 14464 in 16 bits.
  for (const char* port : {"80000", "65536", "-1", "+80", "0x50", "99999999999999999999", "http"}) {
    EXPECT_THAT([&] { Listener(std::string("127.0.0.1:") + port); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("from 0 to 65535")))
        << port;
  }
}

}  // namespace
}  // namespace lookalike
