#include "tools/serve/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(AccessLog, HasALineOfFieldsWithoutParameters) {
  HttpRequest request{.method = "GET", .path = "/a b\n", .parameters = {{"token", "secret"}}};
  request.headers.emplace("authorization", "Bearer secret");
  testing::internal::CaptureStderr();
  log_access(request, 404, 0.0123);
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, MatchesRegex("access: [0-9-]+T[0-9:]+Z - GET /a[^ ]+ 404 12.3 ms\n"));
  EXPECT_THAT(line, Not(HasSubstr("secret")));
}

TEST(RefusedTokens, AreWarnedOfTenTimesAMinute) {
  RefusedTokens tokens;
  const RefusedTokens::Clock::time_point start{};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(tokens.add("1.2.3.4", start), "wrong token from 1.2.3.4");
  EXPECT_EQ(tokens.add("1.2.3.4", start + std::chrono::seconds(59)), std::nullopt);
  EXPECT_EQ(tokens.add("1.2.3.5", start + std::chrono::seconds(60)),
            "wrong token from 1.2.3.5; 1 more were not logged");
  EXPECT_EQ(tokens.add("1.2.3.5", start + std::chrono::seconds(61)), "wrong token from 1.2.3.5");
}

}  // namespace
}  // namespace lookalike
