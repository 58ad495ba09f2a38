#pragma once

#include "config/options.h"
#include "kernels/session/session.h"

namespace lookalike {

// Returns the options that open the configured device. Compiled kernels and tunings are cached in
// the folder "lookalike" of the user's cache folder ($XDG_CACHE_HOME, else ~/.cache), if any.
SessionOptions session_options(const DeviceOptions& device);
// Returns the same for sessions that answer single photos.
SessionOptions query_session_options(const DeviceOptions& device);

}  // namespace lookalike
