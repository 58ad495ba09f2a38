#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "storage/index_types.h"

namespace lookalike {

// The fingerprint of an index: every key of [extract], the method behind it, and the codebook.
Settings settings_of(const ExtractOptions& extract, const Codebook& codebook);

// The fingerprint of features without a codebook yet.
Settings settings_of(const ExtractOptions& extract);

// Throws OtherSettings, naming the command that rebuilds the index, if its settings have a retired
// value.
void refuse_retired(const Settings& settings);

// Keeps an index as it was made: where `extract` has a key's default and the index another value,
// `extract` takes that value, whether the index stores it or is older than the key. Returns the
// names of what changed.
std::vector<std::string> keep_earlier(ExtractOptions& extract, const Settings& index);

// The settings that an index's features were extracted with. Throws as refuse_retired() does, and
// Error(kStorage) for a missing key or another value that this version does not know.
ExtractOptions extract_options_from(const Settings& settings);

}  // namespace lookalike
