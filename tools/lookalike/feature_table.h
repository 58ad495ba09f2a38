#pragma once

#include <string>

#include "base/features.h"
#include "storage/output_file.h"

namespace lookalike {

// The features as CSV with a header row: x, y, size, angle, response, octave, class_id, then the
// descriptor as d0, d1, ... Numbers read back to the same floats.
std::string feature_table(const FeatureSet& features);

// These tables, recognised by their header row.
OutputKind feature_table_kind();

}  // namespace lookalike
