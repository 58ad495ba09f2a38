#pragma once

#include <filesystem>
#include <vector>

// The files of an index FILE: itself, FILE-wal, FILE-shm and FILE-journal of SQLite, FILE.lock of
// the writer, FILE.work with a training sample, and FILE.retrain, an index that is built beside it
// and has the same files.
namespace lookalike {

// FILE and the names beside it; of the work folders, not their content.
std::vector<std::filesystem::path> files_of_index(const std::filesystem::path& database);

// Every FILE such that the name is one of its files, or lies in one of its work folders.
std::vector<std::filesystem::path> possible_indexes(const std::filesystem::path& name);

}  // namespace lookalike
