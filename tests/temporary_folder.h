#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lookalike {

// A new, empty folder for one test or, made in SetUpTestSuite, for all of a suite; removed with
// all that is in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* tests = ::testing::UnitTest::GetInstance();
    std::string name = tests->current_test_suite()->name();
    if (const auto* test = tests->current_test_info()) name += std::string(".") + test->name();
    for (char& c : name) {
      if (c == '/') c = '-';
    }
    path_ = std::filesystem::temp_directory_path() /
            ("lookalike-" + name + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file below the folder, with the folders on its way; returns its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.native();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace lookalike
