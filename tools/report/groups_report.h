#pragma once

#include <cstddef>
#include <string>

#include "config/options.h"
#include "pipeline/groups/totals.h"
#include "storage/output_file.h"

namespace lookalike {

// Writes a page of groups: their totals, and for each group a contact sheet and comparisons of its
// files; all but the first groups are folded. It is written group by group, so that memory stays
// constant, and has small pictures and no script, so that a thousand groups open quickly.
class GroupsReport {
 public:
  // Reads pictures within the limits. The file must outlive the report.
  GroupsReport(OutputFile& file, const std::string& index, const GroupTotals& totals,
               const ImagesOptions& limits);
  // Adds a group under the number that `lookalike duplicates` prints for it.
  void add(std::size_t number, const Group& group);
  void finish();

 private:
  OutputFile& file_;
  const ImagesOptions limits_;
  std::size_t groups_ = 0;
};

}  // namespace lookalike
