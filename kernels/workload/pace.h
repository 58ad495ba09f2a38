#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/workload/workload.h"

namespace lookalike {

// How fast variants were at the sizes seen so far; tells how long one may take at others, so that a
// hopeless one need not be waited for.
class Pace {
 public:
  // What a variant took or, where it was not run, was expected to take.
  void record(const Workload& workload, const std::string& variant, double ms);

  // From what this variant did at the nearest size, and by how much more work this is. Nothing
  // where no size is near: what many tiny images cost does not tell what a large one does.
  std::optional<double> predict_ms(const Workload& workload, const std::string& variant) const;

 private:
  struct Record {
    std::string kernel;
    std::string variant;
    TuningSizes sizes;
    double ms_per_work;
  };
  std::vector<Record> records_;
};

}  // namespace lookalike
