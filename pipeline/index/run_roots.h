#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/path_set.h"
#include "base/scan.h"
#include "storage/index_types.h"

namespace lookalike {

// A root of the index in one run.
struct RunRoot {
  IndexRoot known{};                    // as stored in the index; only the path of a new root
  bool is_new = false;                  // not stored in the index yet
  bool is_scanned = false;              // without a problem, so that missing files can be noticed
  std::string problem{};                // why it could not be scanned
  std::vector<FolderDevice> devices{};  // as scanned
};

// Returns the folders that a run scans, by path: the named ones and the known roots below them, or
// all known roots if none is named.
std::vector<std::string> roots_to_scan(const std::vector<IndexRoot>& known,
                                       std::span<const std::string> named);

// The folders of an index in one run, after the scan.
class RunRoots {
 public:
  // known: as stored in the index. scanned: the result for roots_to_scan(). Throws Error(kInput)
  // for a new root with a problem.
  RunRoots(const std::vector<IndexRoot>& known, std::span<const ScannedFolder> scanned);

  const std::map<std::string, RunRoot>& all() const { return roots_; }  // by path
  // Returns the innermost root that holds a file, nullptr if none does.
  const RunRoot* root_of(const std::string& file) const;
  // True if that root was scanned.
  bool is_scanned(const std::string& file) const;

 private:
  std::map<std::string, RunRoot> roots_;
  PathSet paths_;
};

}  // namespace lookalike
