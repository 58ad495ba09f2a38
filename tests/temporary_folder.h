#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {

// A new, empty folder for one test or, made in SetUpTestSuite, for all of a suite; removed with
// all that is in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* tests = ::testing::UnitTest::GetInstance();
    std::string name = "lookalike";
    if (const auto* suite = tests->current_test_suite()) name += std::string("-") + suite->name();
    if (const auto* test = tests->current_test_info()) name += std::string(".") + test->name();
    std::ranges::replace(name, '/', '-');
    std::string path = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).native();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder: " + path);
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // Returns the names of the entries, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().native());
    }
    std::ranges::sort(names);
    return names;
  }

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
