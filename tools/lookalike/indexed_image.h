#pragma once

#include <optional>
#include <string>

#include "storage/index_reader.h"

namespace lookalike {

// The image that a user names: by any of its paths, as it is or taken from the current folder, or
// by its number. Nothing when the index has none such.
std::optional<ImageId> find_image(const IndexReader& index, const std::string& name);

// The same. Throws Error(kInput) when the index has none such.
ImageId must_find(const IndexReader& index, const std::string& name);

}  // namespace lookalike
