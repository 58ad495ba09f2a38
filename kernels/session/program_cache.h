#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"

namespace lookalike {

// A file NAME.loading, present and locked while a driver reads the binary in NAME. A present file
// without a lock shows that a process died meanwhile. If another process holds the lock, or the
// file cannot be created, nothing is guarded.
class LoadingGuard {
 public:
  explicit LoadingGuard(const std::filesystem::path& binary);
  ~LoadingGuard();
  LoadingGuard(LoadingGuard&& other) noexcept = default;

  bool follows_a_death() const { return follows_a_death_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;  // open while this holds the lock
  bool follows_a_death_ = false;
};

struct CachedProgram {
  std::vector<unsigned char> binary;  // empty: compiled here, the binary is not kept
  bool is_refused = false;            // two processes died while their driver read the binary
  std::optional<LoadingGuard> guard;  // of a binary; destroy it once the driver has read that
};

// Compiled programs on disk, one file each. A file holds its whole key, so that two programs whose
// file names collide are never confused; the later one replaces the earlier. Length and checksum
// reveal a damaged file, since drivers trust their binaries: PoCL 3.1 crashes on a truncated one.
// Failing to read or write a cache costs time only, and throws nothing.
class ProgramCache {
 public:
  // An empty folder turns the cache off.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool is_on() const { return !folder_.empty(); }
  // Returns what is stored under a key; nothing for an unknown key or a damaged file. Drops a
  // binary if a process died while its driver read it: once, since the process may have been killed
  // by someone else. If another process dies with the binary that is stored next, refuses the key.
  std::optional<CachedProgram> load(const std::string& key) const;
  // Creates the folder if needed; replaces what was stored under the key. An empty binary records
  // that the program has been compiled here.
  void store(const std::string& key, const std::vector<unsigned char>& binary) const;

 private:
  std::filesystem::path file_for(const std::string& key) const;
  void write(const std::string& key, char state, const std::vector<unsigned char>& binary) const;

  std::filesystem::path folder_;
};

}  // namespace lookalike
