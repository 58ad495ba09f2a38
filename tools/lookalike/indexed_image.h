#pragma once

#include <string>

#include "storage/index_reader.h"

namespace lookalike {

// The image that a user names: by a path, as it is or taken from the current folder, or by its
// number. Throws Error(kInput) when the index has none such.
ImageId must_find(const IndexReader& index, const std::string& name);

}  // namespace lookalike
