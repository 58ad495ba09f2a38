#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "storage/index_types.h"

namespace lookalike {

// Returns the settings that identify an index: every key of [extract], the method behind it, and
// the hash of the codebook.
Settings settings_of(const ExtractOptions& extract, const Codebook& codebook);

// Returns the same for features without a codebook.
Settings settings_of(const ExtractOptions& extract);

// Replaces default values in `extract` with the values of an index, so that a run without options
// keeps the settings of the index. Returns the names of the keys that changed.
std::vector<std::string> keep_settings(ExtractOptions& extract, const Settings& index);

// Returns the options that an index's features were extracted with. Throws Error(kStorage) for a
// missing key or a value that this version does not know.
ExtractOptions extract_options_from(const Settings& settings);

}  // namespace lookalike
