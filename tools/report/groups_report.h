#pragma once

#include <cstddef>
#include <string>

#include "config/options.h"
#include "pipeline/groups/groups.h"
#include "storage/output_file.h"

namespace lookalike {

// Writes a page of groups: for each a contact sheet and comparisons of its files. It is written
// group by group, so that memory stays constant, and has small pictures and no script, so that a
// thousand groups open quickly.
class GroupsReport {
 public:
  // Reads pictures within the limits. The file must outlive the report.
  GroupsReport(OutputFile& file, const std::string& index, const ImagesOptions& limits);
  void add(const Group& group);
  void finish();

 private:
  OutputFile& file_;
  const ImagesOptions limits_;
  std::size_t groups_ = 0;
};

}  // namespace lookalike
