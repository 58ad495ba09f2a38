#pragma once

#include "base/artefacts.h"
#include "storage/sqlite.h"

namespace lookalike {

// XXH3-128 over the codebook's hash, the settings by name, and the sorted digests of the live
// images: what is indexed, whatever its order, numbers, paths, times and segments. Throws
// Error(kStorage) for a record that is damaged.
ContentHash index_content_hash(const Connection& connection);

}  // namespace lookalike
