#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/tuning/tuning.h"

namespace lookalike {

// The measurements that come with lookalike: kernels/tuning/shipped/, embedded at build time, in
// the order of their names.
std::vector<TuningFile> shipped_tunings();

// Where the user's own measurements of a device and driver are kept.
std::filesystem::path tuning_path(const std::filesystem::path& folder, const TuningTarget& target);

// Writes the file to its place in the folder, which is made when missing, and returns that place.
// Throws Error(kStorage) when it cannot be written.
std::filesystem::path store_tuning(const std::filesystem::path& folder, const TuningFile& file);

// What is known of a device, most trusted first: the user's own measurements of this device and
// driver (an empty folder has none); those of `shipped` of this device's name; those of a device
// like it, which on GPUs means the vendor and the kind, and on CPUs the platform and an instruction
// set that the CPU has, the richest first.
// A file in the folder that cannot be read, is of another version or of another device is left
// out, and `warn` is told in a line.
Tuning load_tuning(const TuningTarget& target, const std::filesystem::path& folder,
                   const std::vector<TuningFile>& shipped,
                   const std::function<void(const std::string&)>& warn);

}  // namespace lookalike
