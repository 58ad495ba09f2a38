#pragma once

#include <string>
#include <vector>

#include "storage/index_types.h"
#include "storage/sqlite.h"

// The tables `roots`, `devices` and `withheld`, written within the caller's transaction.
namespace lookalike {

std::vector<IndexRoot> read_roots(const Connection& connection);  // by path
// Adds the root, or replaces what is known of it.
void put_root(Connection& connection, const IndexRoot& root);
void delete_root(Connection& connection, const std::string& root);

}  // namespace lookalike
