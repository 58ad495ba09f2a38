#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace lookalike {

// The form in which an index keeps paths: absolute, without ".", ".." and doubled slashes, and
// without a slash at the end. Links are not followed. Throws Error(kUsage) for an empty path.
std::string normal_path(const std::string& path);

// Whether the path is the folder or lies below it. Both as normal_path() gives them.
bool is_within(std::string_view path, std::string_view folder);

// Paths, to find those that hold another one. All as normal_path() gives them.
class PathSet {
 public:
  PathSet() = default;
  explicit PathSet(std::span<const std::string> paths);

  void insert(std::string path);
  bool contains(std::string_view path) const { return paths_.contains(path); }
  // The innermost of them that is the path or a folder above it; nullptr without one.
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
