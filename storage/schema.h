#pragma once

#include "storage/sqlite.h"

// What an index's database looks like; storage/FORMATS.md says what is in its blobs.
namespace lookalike {

inline constexpr int kSchemaVersion = 3;

// Throws Error(kInput) when the database is not an index of lookalike, empty ones included, and
// Error(kStorage) when it is an index of a newer format, or of one that is to be brought up to
// date by a writer first.
void check_schema(const Connection& connection);

// Whether the database has no tables at all: an index that was stopped before its first
// transaction. Throws as check_schema for what is not ours.
bool is_unbegun(const Connection& connection);

// Makes the tables of an empty database and brings an older index up to date, all or nothing.
// Throws as check_schema for a database of somebody else and for a newer format, and as Connection
// for one that cannot be written, even when there is nothing to do.
void migrate(Connection& connection);

}  // namespace lookalike
