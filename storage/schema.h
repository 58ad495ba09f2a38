#pragma once

#include <string>

#include "base/error.h"
#include "storage/sqlite.h"

// What an index's database looks like; storage/FORMATS.md says what is in its blobs.
namespace lookalike {

inline constexpr int kSchemaVersion = 4;

// A database without tables: no index, or one that was stopped before its first transaction.
class EmptyIndex : public Error {
 public:
  explicit EmptyIndex(const std::string& message) : Error(ErrorKind::kInput, message) {}
};

// Whether a file with this start is an index, of any format. Needs the first 100 bytes.
bool begins_an_index(ByteView start);

// Throws Error(kInput) when the database is not an index of lookalike, EmptyIndex when there is
// nothing in it, and Error(kStorage) when it is an index of a newer format, or of one that is to
// be brought up to date by a writer first.
void check_schema(const Connection& connection);

// Throws as check_schema for a database of somebody else and for a newer format; an empty one and
// an older index are what a writer may go on with.
void check_writable_schema(const Connection& connection);

// Makes the tables of an empty database and brings an older index up to date, all or nothing.
// Throws as check_writable_schema, and as Connection for one that cannot be written, even when
// there is nothing to do.
void migrate(Connection& connection);

}  // namespace lookalike
