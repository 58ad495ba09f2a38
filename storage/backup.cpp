#include "storage/backup.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "storage/index_check.h"
#include "storage/schema.h"

namespace lookalike {

OutputKind backup_kind() {
  return {.name = "a backup of lookalike",
          .is_earlier = [](std::string_view start) { return begins_a_backup(bytes_of(start)); },
          .is_backup = true};
}

std::uint64_t back_up_index(const std::filesystem::path& database, OutputFile& copy,
                            Progress::Style style) {
  const std::filesystem::path file = copy.temporary();
  {
    Connection index = open_for_reading(database);
    std::optional<Progress> progress;
    index.copy_to(file, [&](std::size_t done, std::size_t all) {
      if (!progress) progress.emplace("copy", "pages", all, style);
      progress->update(done);
    });
  }
  mark_as_backup(file);
  const std::vector<std::string> problems = check_index(file, style, open_immutable);
  if (problems.empty()) {
    Connection whole = open_immutable(file);
    Rows count = whole.rows("SELECT count(*) FROM images");
    count.next();
    return static_cast<std::uint64_t>(count.integer(0));
  }
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: is damaged, and no backup was made: {} (see `lookalike check`)",
                          printable(database.native()), problems.front()));
}

}  // namespace lookalike
