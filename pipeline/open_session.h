#pragma once

#include <filesystem>

#include "config/options.h"
#include "kernels/session/session.h"

namespace lookalike {

// Where compiled kernels are kept between runs: "lookalike" in the user's cache folder
// ($XDG_CACHE_HOME, else ~/.cache); empty when there is none.
std::filesystem::path program_cache_folder();

// How the device that the configuration chooses is opened.
SessionOptions session_options(const DeviceOptions& device);

}  // namespace lookalike
