#pragma once

#include "storage/index_types.h"
#include "storage/sqlite.h"

namespace lookalike {

// Stores the codebook and the settings of an index that has none yet, within the caller's
// transaction. Where there are some: returns when they are the same, else throws OtherSettings,
// naming each difference.
void store_fingerprint(Connection& connection, const Codebook& codebook, const Settings& settings);

}  // namespace lookalike
