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

// Returns how far sizes lie apart: the root of the sum of the squared binary logarithms of their
// ratios, with a size of 0 taken as 1. Infinity when their names differ.
double octaves_between(const TuningSizes& a, const TuningSizes& b);

// Measurements of a device, or of devices like it, that choose the fastest variant of a kernel.
class Tuning {
 public:
  // Files in order of trust: the first that knows a kernel decides.
  explicit Tuning(std::vector<TuningFile> files = {}) : files_(std::move(files)) {}

  // Returns the fastest of these variants at the measured sizes nearest to those wanted, by
  // octaves_between. Only measurements of sizes with the same names count. Ties: the smaller sizes,
  // then the variant that stands first in `variants`. Nothing when no file knows one of the
  // variants.
  std::optional<std::string> fastest(std::string_view kernel, const TuningSizes& sizes,
                                     std::span<const std::string> variants) const;

  const std::vector<TuningFile>& files() const { return files_; }

 private:
  std::vector<TuningFile> files_;
};

// Returns the path of the user's own measurements of a device and driver.
std::filesystem::path tuning_path(const std::filesystem::path& folder, const TuningTarget& target);

// Writes the file to its path in the folder, which it creates if needed, and returns the path.
// Throws Error(kStorage) when it cannot be written.
std::filesystem::path store_tuning(const std::filesystem::path& folder, const TuningFile& file);

// Loads the measurements that apply to a device, most trusted first: the user's own, of this device
// and driver (none in an empty folder), then the files of `shipped` for a device of this name, then
// for a device like it. A GPU is like one of its vendor, a CPU like one of its platform with an
// instruction set that this CPU has, the richest first. A file in the folder that cannot be read,
// has another version or names another device is ignored with a one-line warning to `warn`.
Tuning load_tuning(const TuningTarget& target, const std::filesystem::path& folder,
                   const std::vector<TuningFile>& shipped,
                   const std::function<void(const std::string&)>& warn);

}  // namespace lookalike
