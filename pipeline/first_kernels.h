#pragma once

#include <sys/types.h>

#include "config/options.h"

namespace lookalike {

// Builds the kernels that a query comes to last in a process of its own, while this one builds
// those that it needs first: drivers compile on one core of a process. Tried once for each version
// of the program and choice of device, where there is a cache to keep the kernels in.
class FirstKernels {
 public:
  // Forks, so it does nothing where there are threads already, nor on one core.
  //   extract  under which photos will be extracted
  FirstKernels(const DeviceOptions& device, const ExtractOptions& extract,
               const MatchOptions& match);
  // Ends the process, which costs time only: what it has not built is built when it is used.
  ~FirstKernels();
  FirstKernels(const FirstKernels&) = delete;
  FirstKernels& operator=(const FirstKernels&) = delete;

 private:
  pid_t helper_ = 0;  // 0: none
};

}  // namespace lookalike
