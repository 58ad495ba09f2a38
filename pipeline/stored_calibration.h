#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/options.h"
#include "stages/match/decide/calibration.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"

namespace lookalike {

// The name under which an index stores its calibration, as text. Change it when the weighted
// quantities change.
inline constexpr std::string_view kCalibrationName = "calibration.second_look";

std::string to_text(const Calibration& calibration);
// Returns nothing for a text that to_text() does not write.
std::optional<Calibration> calibration_from(std::string_view text);

// Returns the calibration to search an index with: of the index that match.calibration names, or if
// it names none, the index's own, or if that is missing or damaged, the shipped one. Throws as
// IndexReader, and Error(kInput) when the named index has no calibration.
Calibration calibration_for(const IndexReader& index, const MatchOptions& match);

// Images of an index that can be matched: those that are not blank.
std::uint64_t matchable_images(const IndexCounts& counts);

// Stores the calibration and the number of matchable images at this time.
void store_calibration(IndexWriter& index, const Calibration& calibration);

// True if the index has at least 40 matchable images, and was never calibrated or has grown or
// shrunk by half since.
//   more  images that are to be added first
bool is_calibration_due(const IndexReader& index, std::uint64_t more = 0);

// Returns what is wrong with the stored calibration, if anything. Queries silently use the shipped
// one instead.
std::optional<std::string> problem_of_calibration(const IndexReader& index);

}  // namespace lookalike
