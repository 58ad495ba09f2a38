#include "pipeline/index/run_roots.h"

#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {

std::vector<std::string> roots_to_scan(const std::vector<IndexRoot>& known,
                                       std::span<const std::string> named) {
  PathSet wanted;
  std::set<std::string> folders;
  for (const std::string& name : named) {
    wanted.insert(normal_path(name));
    folders.insert(normal_path(name));
  }
  for (const IndexRoot& root : known) {
    if (named.empty() || wanted.innermost(root.path) != nullptr) folders.insert(root.path);
  }
  return {folders.begin(), folders.end()};
}

RunRoots::RunRoots(const std::vector<IndexRoot>& known, std::span<const ScannedFolder> scanned) {
  for (const IndexRoot& root : known) roots_[root.path].known = root;
  for (const ScannedFolder& folder : scanned) {
    const auto [place, is_new] = roots_.try_emplace(folder.path);
    if (is_new && !folder.problem.empty()) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(folder.path), folder.problem));
    }
    RunRoot& root = place->second;
    root.known.path = folder.path;
    root.is_new = is_new;
    root.is_scanned = folder.problem.empty();
    root.problem = folder.problem;
    root.devices = folder.devices;
  }
  for (const auto& [path, root] : roots_) paths_.insert(path);
}

const RunRoot* RunRoots::root_of(const std::string& file) const {
  const std::string* const path = paths_.innermost(file);
  return path == nullptr ? nullptr : &roots_.at(*path);
}

bool RunRoots::is_scanned(const std::string& file) const {
  const RunRoot* const root = root_of(file);
  return root != nullptr && root->is_scanned;
}

}  // namespace lookalike
