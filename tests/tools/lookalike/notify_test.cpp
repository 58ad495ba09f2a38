#include "tools/lookalike/notify.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(HeartbeatUrl, HasThePathOfTheOutcome) {
  EXPECT_EQ(heartbeat_url("https://a/b", "good"), "https://a/b?outcome=good");
  EXPECT_EQ(heartbeat_url("https://a/b/?x=1#y", "incomplete"),
            "https://a/b/fail?x=1&outcome=incomplete");
}

}  // namespace
}  // namespace lookalike
