#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernels/workload/workload.h"

namespace lookalike {

// How fast variants were at the sizes seen so far; tells how long one may take at others, so that a
// hopeless one need not be waited for.
class Pace {
 public:
  void record(const Workload& workload, const std::string& variant, double ms);
  // From the best rate of this variant so far; nothing before the first record.
  std::optional<double> predict_ms(const Workload& workload, const std::string& variant) const;

 private:
  std::map<std::pair<std::string, std::string>, double> work_per_ms_;  // by kernel and variant
};

}  // namespace lookalike
