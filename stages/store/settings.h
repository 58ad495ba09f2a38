#pragma once

#include "config/options.h"
#include "storage/index_types.h"

namespace lookalike {

// The fingerprint of an index: every key of [extract], the method behind it, and the codebook.
Settings settings_of(const ExtractOptions& extract, const Codebook& codebook);

// The same of features for which there is no codebook yet.
Settings settings_of(const ExtractOptions& extract);

// Throws OtherSettings, naming the command that rebuilds the index, when its settings have a value
// that was removed.
void refuse_retired(const Settings& settings);

// The settings that an index's features were extracted with. Throws as refuse_retired does, and
// Error(kStorage) when a key is missing or has no other value that this version knows.
ExtractOptions extract_options_from(const Settings& settings);

}  // namespace lookalike
