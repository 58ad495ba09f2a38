#include "pipeline/duplicates/act_lock.h"

#include <algorithm>

#include "base/text.h"

namespace lookalike {

ActionLock::ActionLock(std::vector<std::filesystem::path> databases) {
  for (std::filesystem::path& database : databases) database = resolved(database);
  std::ranges::sort(databases);  // who takes several takes them in one order
  databases.erase(std::unique(databases.begin(), databases.end()), databases.end());
  for (const std::filesystem::path& database : databases) {
    files_.emplace_back(database.native() + ".actions.lock",
                        printable(database.native()) + ": its files are being moved or linked by ",
                        kPatience);
  }
}

}  // namespace lookalike
