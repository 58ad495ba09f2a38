#pragma once

#include <cstdint>
#include <filesystem>

#include "base/progress.h"
#include "storage/output_file.h"

// Copies of an index that are whole at any moment.
namespace lookalike {

// Returns the kind of files that back_up_index() writes.
OutputKind backup_kind();

// Copies the last published state of an index, which others may read and write meanwhile, and
// checks the copy by check_index(). Returns its number of images; the caller commits it. Throws
// Error(kStorage) if there is a problem in the copy, and hence in the index, Error(kUsage) if the
// copy is no regular file, and as IndexReader for the index.
std::uint64_t back_up_index(const std::filesystem::path& database, OutputFile& copy,
                            Progress::Style style);

}  // namespace lookalike
