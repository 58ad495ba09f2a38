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

// Keeps an index as it was made: where `extract` has a key's default and the index another value,
// `extract` takes that value. Returns the names of what changed.
std::vector<std::string> keep_earlier(ExtractOptions& extract, const Settings& index);

// The settings that an index's features were extracted with. Throws Error(kStorage)
// for a missing key or a value that this version does not know.
ExtractOptions extract_options_from(const Settings& settings);

}  // namespace lookalike
