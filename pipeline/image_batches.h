#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/scan.h"
#include "config/options.h"
#include "pipeline/shard.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Images that go to the device together: enough to fill it, few enough to stay small in memory and
// to stop soon when asked to. An H200 extracts 5,400 photos of 640 x 480 a second on the wall by
// 16, 6,000 by 32 or 64 and 3,800 by 128 (surf_benchmark --batch of commit 2d0115e); PoCL on two cores takes the same
// processor time by 16 as by 32 (lookalike index).
inline constexpr std::size_t kDeviceBatchImages = 16;

// How many threads decode: options.decode_threads, or one per core.
std::size_t decode_threads(const ImagesOptions& options);

// Scans the folders. Throws Error(kUsage) when none are given, Error(kInput) when one of them
// cannot be scanned or there is no image under them.
ScanResult scan_images(const ImagesOptions& options);

// Decodes the shard's images on several threads and hands them on in order, kDeviceBatchImages at a
// time. Returns what was skipped, by path.
std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, const Shard& shard, const std::string& label, Progress::Style style,
    const std::function<void(const std::vector<DecodedImage>&)>& visit);

// Reports each file on stderr, by name and reason, and returns the exit code: 1 when there are any.
int report_skipped(const std::vector<SkippedFile>& skipped);

}  // namespace lookalike
