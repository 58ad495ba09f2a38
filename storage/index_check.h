#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lookalike {

// Reads all of an index as it stands, also while it is being written, and says what is wrong with
// it, a sentence each; nothing when it is whole. What is looked at: SQLite's own integrity and
// foreign keys; the checksum and form of every blob; that codebook, histogram, forward record and
// postings of each image agree to the bit; that each image has a file, and each removed one its
// tombstone. What keeps the file from being opened as an index is a problem too: that it is of
// another format, or no index at all, which a damaged start cannot be told from.
// An empty index is whole.
// Throws Error(kInput) when there is no such file, Error(kStorage) when that cannot be known.
std::vector<std::string> check_index(const std::filesystem::path& database);

// Whether there is nothing in it yet, not even a table: its first run was stopped before its first
// transaction, or the file has lost everything, which looks the same. Throws as check_index.
bool is_empty_index(const std::filesystem::path& database);

}  // namespace lookalike
