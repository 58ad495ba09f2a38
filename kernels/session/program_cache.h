#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lookalike {

// Compiled programs on disk, one file each. A file holds its whole key, so that two programs whose
// file names collide are never confused; the later one replaces the earlier. An empty binary
// records that a program has been compiled here without keeping its binary. Failing to read or
// write a cache costs time only, and throws nothing.
class ProgramCache {
 public:
  // An empty folder turns the cache off.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool is_on() const { return !folder_.empty(); }
  // Returns the binary stored under a key, which may be empty; nothing for an unknown key. It does
  // not notice a file that is damaged behind its key: the driver has to refuse the binary.
  std::optional<std::vector<unsigned char>> load(const std::string& key) const;
  // Creates the folder if needed; replaces what was stored under the key.
  void store(const std::string& key, const std::vector<unsigned char>& binary) const;

 private:
  std::filesystem::path file_for(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace lookalike
