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
  IndexRoot known{};        // as stored in the index; of a new root the path alone
  bool is_new = false;      // not yet in the index
  bool is_named = false;    // to be scanned
  bool is_scanned = false;  // without a problem, so that its files can be compared with the index
  std::string problem{};    // why it could not be scanned
  std::vector<FolderDevice> devices{};  // as the scan found them
};

// The folders of an index in one run: which are scanned, and which one holds a file.
class RunRoots {
 public:
  // known: as stored in the index. named: the folders that this run scans, new ones included; if
  // empty, it scans all known roots. A known root below a scanned one is scanned as well.
  RunRoots(const std::vector<IndexRoot>& known, std::span<const std::string> named);

  std::vector<std::string> to_scan() const;
  // Takes over the result of a scan of to_scan(). Throws Error(kInput) for a new root with a
  // problem.
  void set_scanned(std::span<const ScannedFolder> folders);

  const std::map<std::string, RunRoot>& all() const { return roots_; }  // by path
  // The innermost root that holds a file; nullptr for a file under none.
  const RunRoot* root_of(const std::string& file) const;

 private:
  std::map<std::string, RunRoot> roots_;
  PathSet paths_;
};

}  // namespace lookalike
