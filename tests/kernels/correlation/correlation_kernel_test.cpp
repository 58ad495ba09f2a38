#include "kernels/correlation/correlation_kernel.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/correlation/block_transform.h"
#include "kernels/correlation/correlation.h"
#include "tests/kernels/correlation/pictures.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

// The pixels that make the largest products.
GrayImage black_and_white(GrayImage image) {
  for (std::uint8_t& pixel : image.pixels) pixel = pixel < 128 ? 0 : 255;
  return image;
}

TEST(CorrelationKernelTest, NamesAreReadBack) {
  for (const auto kernel :
       {CorrelationKernel::kAuto, CorrelationKernel::kPerPosition, CorrelationKernel::kTiled,
        CorrelationKernel::kBlocked, CorrelationKernel::kVector, CorrelationKernel::kDotProduct,
        CorrelationKernel::kMatrix, CorrelationKernel::kFrequency}) {
    EXPECT_EQ(parse_correlation_kernel(to_string(kernel)), kernel);
  }
}

TEST(CorrelationKernelTest, UnknownNameListsTheKnownOnes) {
  try {
    parse_correlation_kernel("fastest");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    const std::string message = error.what();
    EXPECT_NE(message.find("per_position"), std::string::npos);
    EXPECT_NE(message.find("'fastest'"), std::string::npos);
  }
}

TEST(CorrelationKernelTest, EveryDeviceHasSomeAndAutoIsNoneOfThem) {
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession& session = shared_session("::" + std::to_string(device));
    const auto kernels = correlation_kernels(session);
    ASSERT_FALSE(kernels.empty());
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), CorrelationKernel::kAuto), 0);
  }
}

TEST(CorrelationKernelTest, FormsAreTriedOnceASession) {
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession session({.device = "::" + std::to_string(device), .profile = true});
    const auto kernels = correlation_kernels(session);
    session.drain_profile();
    EXPECT_EQ(correlation_kernels(session), kernels);
    EXPECT_TRUE(session.drain_profile().empty());
  }
}

TEST(CorrelationKernelTest, MatrixUnitsAreRefusedWhereThereAreNone) {
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession& session = shared_session("::" + std::to_string(device));
    if (session.device().is_nvidia()) continue;
    EXPECT_THROW(Correlation(session, {.kernel = CorrelationKernel::kMatrix}), Error);
  }
}

TEST(CorrelationKernelTest, FrequenciesAreOfferedWhereVkFftAndDoublesAreThereAndElseRefused) {
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession& session = shared_session("::" + std::to_string(device));
    const auto kernels = correlation_kernels(session);
    const bool offered =
        std::count(kernels.begin(), kernels.end(), CorrelationKernel::kFrequency) == 1;
    EXPECT_EQ(offered, BlockTransform::is_built_in() && session.device().has_doubles);
    if (offered) continue;
    EXPECT_THROW(Correlation(session, {.kernel = CorrelationKernel::kFrequency}), Error);
  }
}

// A sum that is off by one shows: on noise of this size it changes the last bits of most values.
TEST(CorrelationKernelTest, EveryFormGivesTheSameBits) {
  const GrayImage image = black_and_white(noise(300, 130, 7));
  for (const int width : {5, 64, 140}) {
    const GrayImage pattern = black_and_white(noise(width, 64, 8));
    for (std::size_t device = 0; device < list_devices().size(); ++device) {
      OpenClSession& session = shared_session("::" + std::to_string(device));
      const auto kernels = correlation_kernels(session);
      std::vector<float> first;
      for (const CorrelationKernel kernel : kernels) {
        SCOPED_TRACE(std::string(to_string(kernel)) + ", width " + std::to_string(width));
        Correlation correlation(session, {.kernel = kernel});
        const std::vector<float> map = correlation.map(image.view(), pattern.view());
        if (first.empty()) first = map;
        EXPECT_EQ(map, first);
      }
    }
  }
}

}  // namespace
}  // namespace lookalike
