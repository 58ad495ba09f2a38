#include "base/size_text.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(SizeText, ReadsLikeASize) {
  EXPECT_EQ(size_text(0), "0 kB");
  EXPECT_EQ(size_text(1), "1 kB");
  EXPECT_EQ(size_text(999'999), "1000 kB");
  EXPECT_EQ(size_text(2'345'678), "2.3 MB");
  EXPECT_EQ(size_text(4'000'000'000), "4.0 GB");
}

}  // namespace
}  // namespace lookalike
