#pragma once

#include <string_view>

namespace lookalike {

// The text of kernels/<name>, embedded at build time; name is like "variance/variance.cl".
// Throws Error(kInternal) when there is no such file.
std::string_view kernel_source(std::string_view name);

}  // namespace lookalike
