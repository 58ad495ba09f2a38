#include "pipeline/stored_calibration.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(CalibrationText, ComesBack) {
  const Calibration calibration = {{-1.25, 0.1, 2, 1e-9, 3}};
  EXPECT_EQ(calibration_from(to_text(calibration)), calibration);
}

TEST(CalibrationText, OtherTextIsRefused) {
  for (const char* text : {"", "[1,2,3,4]", "[1,2,3,4,5,6]", "{\"a\":1}", "[1,2,3,4,\"5\"]"}) {
    EXPECT_EQ(calibration_from(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lookalike
