#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/artefacts.h"
#include "config/options.h"
#include "storage/index_types.h"
#include "storage/index_writer.h"

namespace lookalike {

// The codebook of a run and the settings under which its features are extracted.
struct RunCodebook {
  std::optional<Codebook> codebook{};  // nothing: the run trains one
  ExtractOptions extract{};
  std::string warning{};  // about a key of [codebook] that has no effect; or empty
};

// Takes the index's own codebook, or gives the index the one that codebook.reuse names.
// With `keep`, adopts the settings of the codebook's index where config.extract has defaults, as
// keep_settings() does. Throws OtherSettings when the index was made under other settings,
// Error(kUsage) when the reused codebook was, Error(kInput) when codebook.reuse is neither an index
// nor a codebook file.
RunCodebook choose_codebook(IndexWriter& index, const RunConfig& config, bool keep);

// Returns the hash of the codebook in an index or a codebook file, as codebook_hash_in() does.
// Throws Error(kInput) when the file is neither.
std::string hash_of_codebook_file(const std::filesystem::path& file);

// Returns "codebook.hash" of an index's settings: hexadecimal, empty without a codebook.
std::string codebook_hash_in(const Settings& settings);

}  // namespace lookalike
