#pragma once

#include <filesystem>

#include "tests/temporary_folder.h"

namespace lookalike {

// A copy of a folder that was costly to make, from which tests that share the folder put it back.
// Links and the times of files stay; inodes do not, so an index has to look at the files again.
class KeptCopy {
 public:
  explicit KeptCopy(const TemporaryFolder& folder) : folder_(folder.path()) {
    copy(folder_, copy_.path());
  }
  void put_back() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::filesystem::remove_all(entry);
    }
    copy(copy_.path(), folder_);
  }

 private:
  static void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
    using std::filesystem::copy_options;
    std::filesystem::copy(from, to, copy_options::recursive | copy_options::copy_symlinks);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
      if (entry.is_symlink() || !entry.is_regular_file()) continue;
      std::filesystem::last_write_time(to / entry.path().lexically_relative(from),
                                       entry.last_write_time());
    }
  }

  std::filesystem::path folder_;
  TemporaryFolder copy_;
};

}  // namespace lookalike
