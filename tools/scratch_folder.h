#pragma once

#include <filesystem>

namespace lookalike {

// A new, empty temporary folder, removed with its content at destruction.
class ScratchFolder {
 public:
  // Throws Error(kStorage) when it cannot be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lookalike
