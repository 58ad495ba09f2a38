#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace lookalike {

// The form of paths in an index: absolute, without ".", "..", doubled slashes and a slash at the
// end. Links are not followed. Throws Error(kUsage) for an empty path.
std::string normal_path(const std::string& path);

// Whether the path is the folder or lies below it. Both in the form of normal_path().
bool is_within(std::string_view path, std::string_view folder);

// A set of paths, searchable by the folders above a path. All in the form of normal_path().
class PathSet {
 public:
  PathSet() = default;
  explicit PathSet(std::span<const std::string> paths);

  void insert(std::string path);
  bool contains(std::string_view path) const { return paths_.contains(path); }
  // The innermost member that is the path or a folder above it; nullptr for none.
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
