#include "base/path_set.h"

#include <filesystem>
#include <utility>

#include "base/error.h"

namespace lookalike {
namespace {

// Returns the folder of a path; "/" for "/".
std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {};
  return path.substr(0, slash == 0 ? 1 : slash);
}

}  // namespace

std::string normal_path(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::kUsage, "a path is empty");
  std::string normal = std::filesystem::absolute(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

bool is_within(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

PathSet::PathSet(std::span<const std::string> paths) : paths_(paths.begin(), paths.end()) {}

void PathSet::insert(std::string path) {
  paths_.insert(std::move(path));
}

const std::string* PathSet::innermost(std::string_view path) const {
  if (paths_.empty()) return nullptr;
  while (!path.empty()) {
    if (const auto found = paths_.find(path); found != paths_.end()) return &*found;
    const std::string_view parent = parent_of(path);
    if (parent == path) break;
    path = parent;
  }
  return nullptr;
}

}  // namespace lookalike
