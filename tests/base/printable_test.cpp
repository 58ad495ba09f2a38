#include "base/printable.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(Printable, NamesThatCanBeShownStayAsTheyAre) {
  EXPECT_EQ(printable("/photos/Ä 'ö' \"日本\" 🙂.jpg"),
            "/photos/Ä 'ö' \"日本\" 🙂.jpg");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, WhatWouldBreakTheLineOrTheTerminalIsWrittenAsNumbers) {
  EXPECT_EQ(printable("a\nb\x1B[31m\x7F"), "a\\x0Ab\\x1B[31m\\x7F");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xC2\\x9B");
  EXPECT_EQ(printable("a\\x0A"), "a\\x5Cx0A");
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenAsNumbers) {
  EXPECT_EQ(printable("\xFFz\x80"), "\\xFFz\\x80");
  EXPECT_EQ(printable("\xC3"), "\\xC3");
  EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82");
}

}  // namespace
}  // namespace lookalike
