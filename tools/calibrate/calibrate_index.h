#pragma once

#include <cstddef>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/progress.h"
#include "stages/match/calibration.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"

namespace lookalike {

// An index of fewer images is not calibrated: what is shipped is better than so few pairs.
inline constexpr std::size_t kFewestForCalibration = 40;

// What is found in photos made of the index's own images, at most 48 of each kind, taken by their
// content and the seed: positives are the two images that a photo is made of, decoys what is found
// in its mirror image. Images that cannot be read any more are passed over.
Sightings sightings_of(const IndexReader& index, OpenClSession& session, const RunConfig& config,
                       Progress& progress);

// Whether the index has grown or shrunk by half since it was calibrated, or never was, and has
// enough images.
bool is_calibration_due(const IndexReader& index);

// Calibrates the index that the writer holds, and returns what it was calibrated on.
Sightings calibrate_index(IndexWriter& writer, const RunConfig& config, OpenClSession& session,
                          Progress::Style style);

}  // namespace lookalike
