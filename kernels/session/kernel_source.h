#pragma once

#include <string_view>
#include <vector>

namespace lookalike {

// Returns the text of kernels/<name>, embedded at build time; name is like "variance/variance.cl".
// Throws Error(kInternal) when there is no such file.
std::string_view kernel_source(std::string_view name);

// Returns the names of the embedded files under a folder, like "tuning/shipped/", in order.
std::vector<std::string_view> kernel_source_names(std::string_view folder);

}  // namespace lookalike
