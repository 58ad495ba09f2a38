#include "kernels/correlation/correlation_kernel.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/correlation/correlation.h"
#include "pipeline/error.h"

namespace lookalike {
namespace {

TEST(CorrelationKernelTest, NamesAreReadBack) {
  for (const auto kernel :
       {CorrelationKernel::kAuto, CorrelationKernel::kPerPosition, CorrelationKernel::kTiled,
        CorrelationKernel::kBlocked, CorrelationKernel::kVector, CorrelationKernel::kDotProduct,
        CorrelationKernel::kMatrix}) {
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
    OpenClSession session({.device = "::" + std::to_string(device)});
    const auto kernels = correlation_kernels(session);
    ASSERT_FALSE(kernels.empty());
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), CorrelationKernel::kAuto), 0);
  }
}

TEST(CorrelationKernelTest, MatrixUnitsAreRefusedWhereThereAreNone) {
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession session({.device = "::" + std::to_string(device)});
    if (is_nvidia(session)) continue;
    EXPECT_THROW(Correlation(session, {.kernel = CorrelationKernel::kMatrix}), Error);
  }
}

}  // namespace
}  // namespace lookalike
