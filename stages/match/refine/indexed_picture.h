#pragma once

#include <optional>

#include "config/options.h"
#include "stages/decode/decode.h"
#include "storage/index_types.h"

namespace lookalike {

// The file of an indexed image, decoded again to the size that is wanted. Nothing when none of its
// paths leads to its content any more, or what is there passes the limits.
std::optional<DecodedImage> read_indexed(const StoredImage& image, WantedSize size,
                                         const ImagesOptions& limits);

}  // namespace lookalike
