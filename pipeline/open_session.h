#pragma once

#include "config/options.h"
#include "kernels/session/session.h"

namespace lookalike {

// The options that open the device of the configuration. Compiled kernels and tuning are cached in
// "lookalike" in the user's cache folder ($XDG_CACHE_HOME, else ~/.cache), if there is one.
SessionOptions session_options(const DeviceOptions& device);
// The same, for what answers single photos.
SessionOptions query_session_options(const DeviceOptions& device);

}  // namespace lookalike
