#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "storage/sqlite.h"

// The tables of an index: their migrations, and how the database is opened. storage/FORMATS.md
// describes the blobs in them.
namespace lookalike {

inline constexpr int kSchemaVersion = 6;
// Readers take this version as well: its codebook has no cells.
inline constexpr int kOldestReadableSchema = 5;

// A database without tables: no index, or a first run that was stopped before its first
// transaction.
class EmptyIndex : public Error {
 public:
  explicit EmptyIndex(const std::string& message) : Error(ErrorKind::kInput, message) {}
};

// Whether a file with this start is an index, of any format. Needs the first 100 bytes.
inline constexpr std::size_t kBytesToTellAnIndex = 100;
bool begins_an_index(ByteView start);

// Mode kRead, or kImmutable if SQLite cannot create its files in the database's folder. Throws
// Error(kInput) if it is missing or is no index of lookalike, EmptyIndex if it has no tables, and
// Error(kStorage) if it cannot be reached, is of a newer format, is older than
// kOldestReadableSchema and so must first be migrated by a writer, or SQLite fails.
Connection open_for_reading(const std::filesystem::path& database);

// Creates a missing database and migrates an older index, all or nothing. Throws Error(kInput) for
// a foreign database and Error(kStorage) for a newer format, or one that cannot be written, even
// if there is nothing to migrate.
Connection open_for_writing(const std::filesystem::path& database);

// The check of open_for_reading() and the migration of open_for_writing(), of an open database.
void check_schema(Connection& connection);
void migrate(Connection& connection);

}  // namespace lookalike
