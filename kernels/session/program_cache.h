#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lookalike {

// Compiled programs on disk, one file each. The file holds its whole key, so that two programs
// whose names collide are never confused, and no binary where none was asked for. Nothing here
// throws: a cache that cannot be read or written costs time only.
class ProgramCache {
 public:
  // An empty folder turns the cache off.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool is_on() const { return !folder_.empty(); }
  // What was stored under a key, which may be empty; nothing where nothing was.
  std::optional<std::vector<unsigned char>> load(const std::string& key) const;
  void store(const std::string& key, const std::vector<unsigned char>& binary) const;

 private:
  std::filesystem::path file_for(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace lookalike
