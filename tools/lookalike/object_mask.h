#pragma once

#include <string>

#include "config/options.h"
#include "pipeline/image.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Which pixels of an object count, of the size of its reduced pixels: 255 where they do, else 0.
// By the object's own alpha channel and, where one is named, by the grey picture `mask_file` as
// well; empty when that leaves nothing out. Half and more of full counts.
// Throws Error(kInput) when a file cannot be read within the limits or mask_file is not of the
// object's full size.
GrayImage object_mask(const std::string& object_file, const DecodedImage& object,
                      const std::string& mask_file, const ImagesOptions& limits);

}  // namespace lookalike
