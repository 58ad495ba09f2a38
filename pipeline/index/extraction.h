#pragma once

#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

#include "base/progress.h"
#include "pipeline/index/device_stages.h"
#include "pipeline/index/feature_cache.h"
#include "pipeline/index/image_stream.h"

namespace lookalike {

using ExtractedItem = std::variant<ExtractedImage, CopyOfImage, SkippedFile>;

// Takes images from the stream in batches through variance and extraction, or from the cache, and
// hands each batch on in the order of the files. Goes on while `accept` returns true. Returns the
// number of files handed on.
std::size_t extract_stream(ImageStream& stream, DeviceStages& device, FeatureCache& cache,
                           Progress& progress,
                           const std::function<bool(std::vector<ExtractedItem>)>& accept);

}  // namespace lookalike
