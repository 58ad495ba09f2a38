#pragma once

#include <optional>
#include <string>
#include <variant>

#include "stages/decode/region.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/match.h"

namespace lookalike {

// Decodes a photo, or a region of it, and extracts its features: what matching asks for. A file
// that cannot be used is a value. Throws Error(kInput) when the region leaves the photo.
std::variant<Query, SkippedFile> load_photo(ExtractStage& extract, const std::string& path,
                                            const ExtractOptions& options,
                                            const ImagesOptions& limits,
                                            const std::optional<Region>& region = {});

}  // namespace lookalike
