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
#include "tests/kernels/correlation/pictures.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {

// Which device, by its place in list_devices(), and which form of the kernels.
using Form = std::tuple<std::size_t, CorrelationKernel, bool>;

inline std::string name_of(const ::testing::TestParamInfo<Form>& info) {
  const auto [device, kernel, double_precision] = info.param;
  return "Device" + std::to_string(device) + "_" + std::string(to_string(kernel)) +
         (double_precision ? "_double" : "_float");
}

// A test of every form on every device.
class EveryCorrelation : public ::testing::TestWithParam<Form> {
 protected:
  // While OpenCL is still loaded.
  static void TearDownTestSuite() { compiled().clear(); }

  // Compiled once a form, since that is what takes time.
  Correlation& correlation() {
    std::unique_ptr<Correlation>& correlation = compiled()[GetParam()];
    if (!correlation) {
      const auto& [device, kernel, double_precision] = GetParam();
      correlation = std::make_unique<Correlation>(
          session(), CorrelationOptions{.kernel = kernel, .double_precision = double_precision});
    }
    return *correlation;
  }

  std::optional<CorrelationPeak> best_match(const ImageView& image, const ImageView& pattern) {
    const CorrelationPair pair = {image, pattern};
    return correlation().best_matches({&pair, 1}).front();
  }

  void expect_map_like_reference(const ImageView& image, const ImageView& pattern) {
    expect_near_or_both_undefined(correlation().map(image, pattern),
                                  correlation_reference(image, pattern));
  }

  static void expect_near_or_both_undefined(const std::vector<float>& map,
                                            const std::vector<double>& expected) {
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
      ASSERT_EQ(std::isnan(map[i]), std::isnan(expected[i])) << "at " << i;
      if (std::isnan(map[i])) continue;
      ASSERT_NEAR(map[i], expected[i], 1e-6) << "at " << i;
      ASSERT_LE(std::abs(map[i]), 1.0F) << "at " << i;
    }
  }

  static OpenClSession& session() {
    return shared_session("::" + std::to_string(std::get<0>(GetParam())));
  }

 private:
  // The forms that tests have used so far.
  static std::map<Form, std::unique_ptr<Correlation>>& compiled() {
    static std::map<Form, std::unique_ptr<Correlation>> compiled;
    return compiled;
  }
};

// Every form that works on each device, in both precisions.
inline std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (std::size_t device = 0; device < list_devices().size(); ++device) {
    OpenClSession& session = shared_session("::" + std::to_string(device));
    for (const CorrelationKernel kernel : correlation_kernels(session)) {
      forms.emplace_back(device, kernel, true);
      forms.emplace_back(device, kernel, false);
    }
  }
  return forms;
}

inline auto every_form() {
  return ::testing::ValuesIn(all_forms());
}

}  // namespace lookalike
