#pragma once

#include <filesystem>

#include "storage/sqlite.h"

// How the database of an index is opened, by whoever reads or writes it.
namespace lookalike {

// Sets `immutable` when the database lies in a folder that cannot be written and was taken as it
// stands. Throws Error(kInput) when it is missing or is no index (EmptyIndex when nothing is in it
// yet), Error(kStorage) when it is of another format, cannot be reached, or SQLite fails.
Connection open_for_reading(const std::filesystem::path& database, bool& immutable);

// Makes the database when there is none, and brings an older one up to date.
Connection open_for_writing(const std::filesystem::path& database);

}  // namespace lookalike
