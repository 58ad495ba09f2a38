#include "pipeline/index/run_roots.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {

RunRoots::RunRoots(const std::vector<IndexRoot>& known, std::span<const std::string> named) {
  PathSet wanted;
  for (const std::string& name : named) wanted.insert(normal_path(name));
  for (const IndexRoot& root : known) {
    const bool is_wanted = named.empty() || wanted.innermost(root.path) != nullptr;
    roots_[root.path] = {.known = root, .is_named = is_wanted};
  }
  for (const std::string& name : named) {
    const std::string path = normal_path(name);
    if (roots_.contains(path)) continue;
    roots_[path] = {.known = {.path = path}, .is_new = true, .is_named = true};
  }
  for (const auto& [path, root] : roots_) paths_.insert(path);
}

std::vector<std::string> RunRoots::to_scan() const {
  std::vector<std::string> folders;
  for (const auto& [path, root] : roots_) {
    if (root.is_named) folders.push_back(path);
  }
  return folders;
}

void RunRoots::set_scanned(std::span<const ScannedFolder> folders) {
  for (const ScannedFolder& folder : folders) {
    RunRoot& root = roots_.at(folder.path);
    if (root.is_new && !folder.problem.empty()) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(folder.path), folder.problem));
    }
    root.is_scanned = folder.problem.empty();
    root.problem = folder.problem;
    root.devices = folder.devices;
  }
}

const RunRoot* RunRoots::root_of(const std::string& file) const {
  const std::string* const path = paths_.innermost(file);
  return path == nullptr ? nullptr : &roots_.at(*path);
}

}  // namespace lookalike
