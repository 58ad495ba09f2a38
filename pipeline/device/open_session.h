#pragma once

#include <filesystem>
#include <string>

#include "config/options.h"
#include "kernels/session/session.h"

namespace lookalike {

// PoCL offers no device where it cannot write its cache. Where the user's cache folder
// ($XDG_CACHE_HOME, else ~/.cache) cannot be written, names it another folder by POCL_CACHE_DIR,
// for the user alone in the folder for temporary files. Changes the environment: call it before
// threads start.
void give_pocl_a_cache();

// Returns a folder of this name in the folder "lookalike" of the user's cache folder, or where that
// cannot be written, of the one for the user alone; empty without either. Need not exist.
std::filesystem::path own_cache_folder(const std::string& name);

// Returns why an OpenCL driver may have ended this process, in words for people.
std::string driver_ended_text();

// Returns the options that open the configured device. Compiled kernels and tunings are cached in
// the folder above own_cache_folder().
SessionOptions session_options(const DeviceOptions& device);
// Returns the same with answer_soon: for sessions that answer single photos, and for those that
// time all variants of kernels, which no later command runs.
SessionOptions query_session_options(const DeviceOptions& device);

}  // namespace lookalike
