#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/groups/rejections.h"

namespace lookalike {

// Whether files were written, replaced or removed: by times, sizes and numbers of the files.
class FileStamps {
 public:
  explicit FileStamps(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}
  // Whether they differ from those of the last call that returned true; true at first.
  bool have_changed();

 private:
  std::vector<std::filesystem::path> files_;
  std::string last_;
};

// The rejections of all databases that are searched, read once per change of their files, for any
// number of threads.
class SharedRejections {
 public:
  // The configuration must outlive it.
  explicit SharedRejections(const RunConfig& config);

  // The same object until a file changes. Throws as read_rejections().
  std::shared_ptr<const Rejections> read();

 private:
  const RunConfig& config_;
  std::mutex mutex_;  // guards what follows
  FileStamps stamps_;
  std::shared_ptr<const Rejections> read_;
};

}  // namespace lookalike
