#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/tuning/tuning.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {

// Stores these measurements of `device` in a folder, and returns options of a session that finds
// them.
inline SessionOptions tuned_session(const std::string& device, const std::filesystem::path& folder,
                                    std::vector<Measurement> measurements) {
  store_tuning(folder, {shared_session(device).tuning_target(), std::move(measurements)});
  return {.device = device, .tuning_folder = folder};
}

}  // namespace lookalike
