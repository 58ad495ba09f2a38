#pragma once

#include <string>
#include <variant>

#include "stages/extract/extract_stage.h"
#include "stages/match/match.h"

namespace lookalike {

// Decodes a photo and extracts its features: what matching asks for. A file that cannot be used is
// a value.
std::variant<Query, SkippedFile> load_photo(ExtractStage& extract, const std::string& path,
                                            const ExtractOptions& options,
                                            const ImagesOptions& limits);

}  // namespace lookalike
