#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/decide/calibration.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"

namespace lookalike {

// An index keeps its calibration as text under this name. A change of the quantities that are
// weighed takes another name.
inline constexpr std::string_view kCalibrationName = "calibration.second_look";

// As text, and back; nothing for a text of another form.
std::string to_text(const Calibration& calibration);
std::optional<Calibration> calibration_from(std::string_view text);

// The index's own calibration, or the shipped one if it has none that can be read.
Calibration stored_calibration(const IndexReader& index);

// An index of fewer images is not calibrated: what is shipped is better than so few pairs.
inline constexpr std::size_t kFewestForCalibration = 40;

// The one that searching an index uses: that of match.calibration, or its own. Throws as
// IndexReader, and Error(kInput) when the index that is named has none.
Calibration calibration_for(const IndexReader& index, const MatchOptions& match);

// What is found in at most 32 photos made of the index's own images, taken by their content and the
// seed, and in their mirror images; see Sightings. Left out are images that cannot be read any
// more, and matches that are certain without their pixels: they move no weight. Photos are looked
// up side by side; the result does not depend on the number of threads. Calls before_each on the
// caller's thread, about once a photo; what that throws ends it.
Sightings sightings_of(const IndexReader& index, OpenClSession& session, const RunConfig& config,
                       Progress& progress, const std::function<void()>& before_each);

// Whether the index has grown or shrunk by half since it was calibrated, or never was, and has
// enough images.
bool is_calibration_due(const IndexReader& index);

// What is wrong with the calibration stored in an index, if anything. Queries silently use the
// shipped one instead.
std::optional<std::string> problem_of_calibration(const IndexReader& index);

// Nothing when fewer than half of the photos could be made: a disk may not be mounted. Photos in
// which all is found for certain leave the shipped weights.
std::optional<Calibration> calibration_of(const Sightings& seen, std::size_t wanted_photos);

// What an index was calibrated on, and to what; to nothing when it was left as it is.
struct CalibrationRun {
  Sightings sightings;
  std::optional<Calibration> calibration;
};

// Calibrates the index that the writer holds, on `index`: its own published state, or that of
// several databases of which it is one. Leaves it as it is where calibration_of() gives
// nothing, and when before_each throws.
CalibrationRun calibrate_index(
    IndexWriter& writer, const IndexReader& index, const RunConfig& config, OpenClSession& session,
    Progress::Style style, const std::function<void()>& before_each = [] {});

}  // namespace lookalike
