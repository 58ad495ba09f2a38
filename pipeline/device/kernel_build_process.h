#pragma once

#include <sys/types.h>

#include "config/options.h"

namespace lookalike {

// A child process that builds the kernels a query needs last, while this process builds the ones
// it needs first: drivers compile on one core per process. Started once for each program version
// and device choice, and only where a cache keeps the kernels.
class KernelBuildProcess {
 public:
  // Forks, unless this process already has threads or the machine has one core.
  //   extract  settings under which photos will be extracted
  KernelBuildProcess(const DeviceOptions& device, const ExtractOptions& extract,
                     const MatchOptions& match);
  // Kills the child. A kernel that it has not built is built when it is used.
  ~KernelBuildProcess();
  KernelBuildProcess(const KernelBuildProcess&) = delete;
  KernelBuildProcess& operator=(const KernelBuildProcess&) = delete;

 private:
  pid_t child_ = 0;  // 0: none
};

}  // namespace lookalike
