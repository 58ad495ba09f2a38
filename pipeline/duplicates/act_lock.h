#pragma once

#include <deque>
#include <filesystem>
#include <vector>

#include "storage/lock_file.h"

namespace lookalike {

// The right to act on the files of an index: a LockFile at DATABASE.actions.lock for each of its
// databases. Waits some seconds for other processes and threads. Throws as LockFile.
class ActionLock {
 public:
  explicit ActionLock(std::vector<std::filesystem::path> databases);

  static constexpr std::chrono::seconds kPatience{5};

 private:
  std::deque<LockFile> files_;
};

}  // namespace lookalike
