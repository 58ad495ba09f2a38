#pragma once

#include <string>

#include "pipeline/features.h"

namespace lookalike {

// The features as CSV with a header row: x, y, size, angle, response, octave, class_id, then the
// descriptor as d0, d1, ... Numbers read back to the same floats.
std::string feature_table(const FeatureSet& features);

// Writes the table to a file, or to standard output for "-". Throws Error(kStorage).
void write_feature_table(const std::string& file, const FeatureSet& features);

}  // namespace lookalike
