#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lookalike {

// Reads all of an index as it stands, also while it is being written, and says what is wrong with
// it, a sentence each; nothing when it is whole. What is looked at: SQLite's own integrity and
// foreign keys; the checksum and form of every blob; that codebook, histogram, forward record and
// postings of each image agree to the bit; that each image has a file, and each removed one its
// tombstone.
// One that was stopped before its first transaction, and has nothing in it yet, is whole.
// Throws Error(kInput) when the file is missing or is no index, Error(kStorage) when it is of
// another format.
std::vector<std::string> check_index(const std::filesystem::path& database);

}  // namespace lookalike
