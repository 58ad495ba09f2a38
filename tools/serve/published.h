#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lookalike {

// A value that threads share and replace as a whole: readers keep the one that they got.
template <typename T>
class Published {
 public:
  std::shared_ptr<T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  void set(std::shared_ptr<T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }

  // Returns the value if it is of this version, and otherwise builds and keeps a new one; other
  // callers wait meanwhile. If build() throws, no value remains, and the next call builds again.
  // The value is never older than the version, which was computed before the call.
  template <typename Build>
  std::shared_ptr<T> get(const std::string& version, const Build& build) {
    const std::lock_guard lock(mutex_);
    if (!value_ || version_ != version) {
      value_.reset();
      value_ = build();
      version_ = version;
    }
    return value_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<T> value_;
  std::string version_;
};

// Returns a text that changes when one of the files is written, replaced or removed: their inodes,
// sizes and times.
std::string version_of(const std::vector<std::filesystem::path>& files);

}  // namespace lookalike
