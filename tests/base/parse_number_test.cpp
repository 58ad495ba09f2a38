#include "base/parse_number.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(ParseNumber, ReadsTheWholeText) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_number<double>("2.5e3"), 2500);
}

TEST(ParseNumber, OtherTextIsNone) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "1.5"}) {
    EXPECT_FALSE(parse_number<int>(text)) << text;
  }
}

TEST(ParseNumber, WhatTheTypeDoesNotHoldIsNone) {
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
  EXPECT_FALSE(parse_number<std::uint32_t>("-1"));
  EXPECT_FALSE(parse_number<double>("1e999"));
}

}  // namespace
}  // namespace lookalike
