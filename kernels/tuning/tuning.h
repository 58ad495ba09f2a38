#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tuning/tuning_file.h"

namespace lookalike {

// How far sizes lie apart: the root of the sum of the squared binary logarithms of their ratios; a
// size of 0 counts as 1. Infinity when their names differ.
double octaves_between(const TuningSizes& a, const TuningSizes& b);

// Measurements of a device, or of one like it, by which the fastest variant of a kernel is chosen.
class Tuning {
 public:
  // Files in order of trust: the first that knows a kernel decides.
  explicit Tuning(std::vector<TuningFile> files = {}) : files_(std::move(files)) {}

  // The fastest of these variants at the measured sizes nearest to those asked for, by
  // octaves_between. Only measurements of sizes with the same names count. Ties: the smaller sizes,
  // then the variant that stands first in `variants`. Nothing when no file knows one of the
  // variants.
  std::optional<std::string> fastest(std::string_view kernel, const TuningSizes& sizes,
                                     std::span<const std::string> variants) const;

  const std::vector<TuningFile>& files() const { return files_; }

 private:
  std::vector<TuningFile> files_;
};

// The file of the user's own measurements of a device and driver.
std::filesystem::path tuning_path(const std::filesystem::path& folder, const TuningTarget& target);

// Writes the file to its path in the folder, which is created if missing, and returns the path.
// Throws Error(kStorage) when it cannot be written.
std::filesystem::path store_tuning(const std::filesystem::path& folder, const TuningFile& file);

// The measurements that apply to a device, most trusted first: the user's own of this device and
// driver (none in an empty folder); those of `shipped` of this device's name; those of a device
// like it: on GPUs of the same vendor and kind, on CPUs of the same platform with an instruction
// set that this CPU has, the richest first. A file in the folder that cannot be read, has another
// version or names another device is ignored with a one-line warning to `warn`.
Tuning load_tuning(const TuningTarget& target, const std::filesystem::path& folder,
                   const std::vector<TuningFile>& shipped,
                   const std::function<void(const std::string&)>& warn);

}  // namespace lookalike
