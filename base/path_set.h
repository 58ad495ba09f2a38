#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace lookalike {

// Returns the form of paths in an index: absolute, without ".", "..", repeated and trailing
// slashes. Does not follow links. Throws Error(kUsage) for an empty path.
std::string normal_path(const std::string& path);

// True if a name in an index is that of a file or of a page of one, which begins with a slash. Any
// other name was given to an image that has no file.
inline bool is_path(std::string_view name) {
  return name.starts_with('/');
}

// True if the path is the folder or below it. Both have the form of normal_path().
bool is_within(std::string_view path, std::string_view folder);

// A set of paths in the form of normal_path(), searchable by the folders above a path.
class PathSet {
 public:
  PathSet() = default;
  explicit PathSet(std::span<const std::string> paths);

  void insert(std::string path);
  bool contains(std::string_view path) const { return paths_.contains(path); }
  // Returns the innermost member that is the path or a folder above it; nullptr without one.
  const std::string* innermost(std::string_view path) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> paths_;
};

}  // namespace lookalike
