#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/tuning/tuning_store.h"

namespace lookalike {

// Options of a session on `device` that finds these measurements of it, which go to a folder.
inline SessionOptions tuned_session(const std::string& device, const std::filesystem::path& folder,
                                    std::vector<Measurement> measurements) {
  OpenClSession untuned({.device = device});
  store_tuning(folder, {untuned.tuning_target(), std::move(measurements)});
  return {.device = device, .tuning_folder = folder};
}

}  // namespace lookalike
