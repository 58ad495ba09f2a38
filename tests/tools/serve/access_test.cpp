#include "tools/serve/access.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

const AccessRules kRules = {.token = "0123456789abcdef", .hosts = {"photos.example.org"}};

Access with_token(const std::string& authorization) {
  return check_access(kRules, "localhost:8765", "", authorization);
}

TEST(Access, KnowsLoopbackAndTheNamesOfTheConfiguration) {
  for (const char* host : {"localhost", "localhost:8765", "LocalHost:1", "127.0.0.1:8765",
                           "[::1]:8765", "[::1]", "photos.example.org", "Photos.Example.org:443"}) {
    EXPECT_EQ(check_host(kRules, host, ""), Access::kAllowed) << host;
  }
}

TEST(Access, RefusesNamesThatWereMadeToLeadHere) {
  for (const char* host :
       {"", "evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost:8765:8765", "localhost:", "localhost:x", "[::1", "[::1]x", "[::1]:", "10.0.0.1",
        "localhost@evil.example", "xlocalhost"}) {
    EXPECT_EQ(check_host(kRules, host, ""), Access::kUnknownHost) << host;
  }
}

TEST(Access, RefusesPagesOfOtherSites) {
  const auto from = [](const char* origin) { return check_host(kRules, "localhost:8765", origin); };
  EXPECT_EQ(from("http://localhost:8765"), Access::kAllowed);
  EXPECT_EQ(from("https://localhost:8765"), Access::kAllowed) << "a proxy speaks TLS";
  for (const char* origin :
       {"null", "http://localhost", "http://localhost:8766", "http://127.0.0.1:8765",
        "https://evil.example", "http://localhost:8765.evil.example", "file://localhost:8765"}) {
    EXPECT_EQ(from(origin), Access::kForeignOrigin) << origin;
  }
}

TEST(Access, BelievesBrowsersThatAnotherPageAsks) {
  for (const char* site : {"", "same-origin", "none"}) {
    EXPECT_EQ(sending_origin("", site, "no-cors", false), "") << site;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(sending_origin("", site, "no-cors", false), "null") << site;
    EXPECT_EQ(sending_origin("", site, "navigate", false), "null") << site;
    EXPECT_EQ(sending_origin("", site, "no-cors", true), "null") << site;
    EXPECT_EQ(sending_origin("", site, "navigate", true), "") << "a link to the page";
    EXPECT_EQ(sending_origin("http://a", site, "navigate", true), "http://a") << "a form";
  }
}

TEST(Access, TakesTheRightTokenAlone) {
  for (const char* right :
       {"Bearer 0123456789abcdef", "bearer 0123456789abcdef", "BEARER 0123456789abcdef"}) {
    EXPECT_EQ(with_token(right), Access::kAllowed) << right;
  }
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "bearer 0123456789ABCDEF", "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0", "0123456789abcdef", "Basic 0123456789abcdef",
        "Bearer 0123456789abcdeF", "Bearer 0123456789abcdefBearer 0123456789abcdef"}) {
    EXPECT_EQ(with_token(wrong), Access::kNoToken) << wrong;
  }
  EXPECT_EQ(check_access(kRules, "evil.example", "", "Bearer 0123456789abcdef"),
            Access::kUnknownHost);
  EXPECT_EQ(check_access({.token = "", .hosts = {}}, "localhost", "", ""), Access::kAllowed);
}

TEST(Access, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "a", "ab", "abd", "bbc", "abcabc"}) {
    EXPECT_FALSE(equal_in_constant_time("abc", other)) << other;
    EXPECT_FALSE(equal_in_constant_time(other, "abc")) << other;
  }
}

TEST(Access, ReadsTokensThatOnlySomeMayRead) {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& text, int rights) {
    const std::string path = folder.write("token", text);
    fs::permissions(path, static_cast<fs::perms>(rights));
    return path;
  };
  EXPECT_EQ(read_token(file("0123456789abcdef\n", 0640)), "0123456789abcdef");
  EXPECT_THROW(read_token(file("0123456789abcdef\n", 0644)), Error);
  EXPECT_THROW(read_token(file("0123456789abcde\n", 0600)), Error);
  EXPECT_THROW(read_token(file("0123456789abcdef\n0123456789abcdef\n", 0600)), Error);
  EXPECT_THROW(read_token((folder.path() / "none").native()), Error);
}

TEST(Access, MakesTokensThatDiffer) {
  const std::string token = random_token();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_NE(token, random_token());
}

}  // namespace
}  // namespace lookalike
