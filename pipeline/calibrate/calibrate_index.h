#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/progress.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"

namespace lookalike {

// Fits a calibration. Returns nothing when fewer than half of the photos could be made, which an
// unmounted disk causes, and the shipped weights when all matches are certain.
std::optional<Calibration> calibration_of(const Sightings& seen, std::size_t wanted_photos);

// What an index was calibrated on, and the result, if any.
struct CalibrationRun {
  Sightings sightings;
  std::optional<Calibration> calibration;
};

// Makes at most 32 photos of the images of `index`, chosen by content and seed, at most one of each
// picture. Looks them and their mirror images up in it, and stores the calibration fitted to the
// matches in `writer`. `index` is the published state of the writer's index, or of several
// databases that include it. Skips images that cannot be read any more, and matches that are
// certain without their pixels, which would not move the weights. The result does not depend on the
// number of threads. Calls before_each on the caller's thread, about once per photo; an exception
// from it ends the run. Changes nothing when calibration_of() returns nothing.
CalibrationRun calibrate_index(
    IndexWriter& writer, const IndexReader& index, const RunConfig& config, OpenClSession& session,
    Progress::Style style, const std::function<void()>& before_each = [] {},
    const std::string& label = "calibrate");

}  // namespace lookalike
