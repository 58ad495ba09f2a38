#pragma once

#include <filesystem>

namespace lookalike {

// A new, empty folder, removed with its content at destruction.
class ScratchFolder {
 public:
  // Creates it in `parent`, by default the system's folder for temporary files. Throws
  // Error(kStorage) when it cannot be created.
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
