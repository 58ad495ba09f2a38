#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "storage/schema.h"

namespace lookalike {

// Reads a whole index, also during writes, and returns its problems, a sentence each; none for a
// sound or an empty index. Returns at most ten that differ in values alone, and how many more there
// are. Checks, on all cores:
//   - SQLite's integrity and foreign keys
//   - the checksum of every row, and the checksum and form of every blob
//   - that codebook, histogram and postings of each image agree
//   - that no row was lost, by totals or by other rows
//   - that each image has a file, and each removed image its tombstone
// A file that cannot be opened as an index is a problem too: a damaged start looks like another
// format or no index. Throws Error(kInput) for a missing file, Error(kStorage) if it cannot be
// reached.
std::vector<std::string> check_index(const std::filesystem::path& database,
                                     Progress::Style progress = Progress::Style::kQuiet,
                                     IndexOpener open = open_for_reading);

// True if the file has no tables: its first run was stopped before its first transaction, or it was
// emptied. Throws as check_index().
bool is_empty_index(const std::filesystem::path& database);

}  // namespace lookalike
