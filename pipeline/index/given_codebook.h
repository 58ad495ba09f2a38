#pragma once

#include <filesystem>
#include <string>

#include "base/artefacts.h"
#include "config/options.h"
#include "storage/index_types.h"

// The words that codebook.reuse names: those of an index, or of a file of lookalike-codebook. Throw
// Error(kInput) when it cannot be read as either.
namespace lookalike {

// Throws Error(kUsage) as well, when it was made under other settings than these.
Codebook given_codebook(const std::filesystem::path& file, const ExtractOptions& extract);

// Those of the index; empty for a file of lookalike-codebook.
Settings settings_of_given(const std::filesystem::path& file);

// As codebook_hash_in() has it.
std::string given_codebook_hash(const std::filesystem::path& file);

// "codebook.hash" of an index's settings: hexadecimal, empty without a codebook.
std::string codebook_hash_in(const Settings& settings);

}  // namespace lookalike
