#include "pipeline/duplicates/totals.h"

#include "base/page_name.h"

namespace lookalike {

bool may_go(const GroupFile& file) {
  return file.proposal == Proposal::kGo && page_of(file.file.path).number == 1;
}

void GroupTotals::add(const Group& group) {
  ++groups;
  files += group.files.size();
  for (const GroupFile& file : group.files) {
    if (!may_go(file)) continue;
    ++needless;
    needless_bytes += file.file.size_bytes;
  }
}

GroupTotals& GroupTotals::operator+=(const GroupTotals& other) {
  groups += other.groups;
  files += other.files;
  needless += other.needless;
  needless_bytes += other.needless_bytes;
  return *this;
}

std::uint64_t needless_bytes(const Group& group) {
  GroupTotals totals;
  totals.add(group);
  return totals.needless_bytes;
}

}  // namespace lookalike
