#pragma once

#include <filesystem>

namespace lookalike {

// A new, empty folder, removed with its content at destruction.
class ScratchFolder {
 public:
  // In the system's folder for temporary files, or in another one. Throws Error(kStorage) when it
  // cannot be made.
  explicit ScratchFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lookalike
