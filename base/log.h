#pragma once

#include <spdlog/spdlog.h>

namespace lookalike {

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Sends the default spdlog logger to stderr, coloured on a terminal. Talk goes through
// spdlog::info, warn and error; data never does.
void set_up_logging(Verbosity verbosity);

}  // namespace lookalike
