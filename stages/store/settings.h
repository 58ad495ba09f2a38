#pragma once

#include "config/options.h"
#include "storage/index_types.h"

namespace lookalike {

// The fingerprint of an index: every key of [extract], the method behind it, and the codebook.
Settings settings_of(const ExtractOptions& extract, const Codebook& codebook);

// The same of features for which there is no codebook yet.
Settings settings_of(const ExtractOptions& extract);

// The settings that an index's features were extracted with. Throws Error(kStorage) when a key is
// missing or has no value that this version knows.
ExtractOptions extract_options_from(const Settings& settings);

}  // namespace lookalike
