#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/correlation/correlation.h"
#include "kernels/correlation/correlation_reference.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {

// Which device, by its place in list_devices(), and which form of the kernels.
using Form = std::tuple<std::size_t, CorrelationKernel, bool>;

inline std::vector<std::size_t> all_devices() {
  std::vector<std::size_t> indices(list_devices().size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

inline std::string name_of(const ::testing::TestParamInfo<Form>& info) {
  const auto [device, kernel, double_precision] = info.param;
  return "Device" + std::to_string(device) +
         (kernel == CorrelationKernel::kTiled ? "Tiled" : "Vector") +
         (double_precision ? "Double" : "Float");
}

// A test of every form on every device.
class EveryCorrelation : public ::testing::TestWithParam<Form> {
 protected:
  // While OpenCL is still loaded.
  static void TearDownTestSuite() { runs().clear(); }

  // Compiled once a form, since that is what takes time.
  Correlation& correlation() {
    std::unique_ptr<Run>& run = runs()[GetParam()];
    if (!run) run = std::make_unique<Run>(GetParam());
    return run->correlation;
  }

  std::optional<CorrelationPeak> best_match(const ImageView& image, const ImageView& pattern) {
    const CorrelationPair pair = {image, pattern};
    return correlation().best_matches({&pair, 1}).front();
  }

  void expect_map_like_reference(const ImageView& image, const ImageView& pattern) {
    const std::vector<float> map = correlation().map(image, pattern);
    const std::vector<double> expected = correlation_reference(image, pattern);
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
      ASSERT_EQ(std::isnan(map[i]), std::isnan(expected[i])) << "at " << i;
      if (std::isnan(map[i])) continue;
      ASSERT_NEAR(map[i], expected[i], 1e-6) << "at " << i;
      ASSERT_LE(std::abs(map[i]), 1.0F) << "at " << i;
    }
  }

 private:
  struct Run {
    explicit Run(const Form& form)
        : session({.device = "::" + std::to_string(std::get<0>(form))}),
          correlation(session,
                      {.kernel = std::get<1>(form), .double_precision = std::get<2>(form)}) {}
    OpenClSession session;
    Correlation correlation;
  };
  // The forms that tests have used so far.
  static std::map<Form, std::unique_ptr<Run>>& runs() {
    static std::map<Form, std::unique_ptr<Run>> compiled;
    return compiled;
  }
};

inline auto every_form() {
  return ::testing::Combine(
      ::testing::ValuesIn(all_devices()),
      ::testing::Values(CorrelationKernel::kVector, CorrelationKernel::kTiled), ::testing::Bool());
}

}  // namespace lookalike
