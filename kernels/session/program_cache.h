#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lookalike {

// Compiled programs on disk, one file each. A file holds its whole key, so that two programs whose
// file names collide are never confused; the later one replaces the earlier. An empty binary
// records that a program has been compiled here without keeping its binary. A cache that cannot be
// read or written costs time only, and throws nothing.
class ProgramCache {
 public:
  // An empty folder turns the cache off.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool is_on() const { return !folder_.empty(); }
  // The binary stored under a key, which may be empty; nothing for an unknown key. A file that was
  // damaged behind its key is not noticed here: the driver has to refuse the binary.
  std::optional<std::vector<unsigned char>> load(const std::string& key) const;
  // Makes the folder if need be; replaces what was stored under the key.
  void store(const std::string& key, const std::vector<unsigned char>& binary) const;

 private:
  std::filesystem::path file_for(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace lookalike
