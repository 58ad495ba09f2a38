#pragma once

#include <cstddef>
#include <string>

#include "config/options.h"
#include "pipeline/groups/groups.h"
#include "storage/output_file.h"

namespace lookalike {

// A page of groups: a contact sheet of each, and how its files differ. Written while it is made, so
// that memory does not grow with it, and with small pictures and no script, so that a thousand
// groups open quickly.
class GroupsReport {
 public:
  // Pictures are read from the files within the limits. The file must outlive the report.
  GroupsReport(OutputFile& file, const std::string& index, const ImagesOptions& limits);
  void add(const Group& group);
  void finish();

 private:
  OutputFile& file_;
  const ImagesOptions limits_;
  std::size_t groups_ = 0;
};

}  // namespace lookalike
