#pragma once

#include <optional>
#include <string>

#include "config/options.h"

namespace lookalike {

// Raises the niceness of this process to options.niceness; threads that come inherit it. It is
// never lowered: a process that was started with more keeps it, which is no reason not to run but
// told, and returned, as a warning.
std::optional<std::string> be_nice(const RunOptions& options);

}  // namespace lookalike
