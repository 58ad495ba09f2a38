#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lookalike {

// Sizes of a problem by name, like {"width", 1920}.
using TuningSizes = std::map<std::string, std::uint64_t, std::less<>>;

// Returns text like "height=1080 width=1920".
std::string to_string(const TuningSizes& sizes);

// The device time of a variant of a kernel, without transfers.
struct Measurement {
  std::string kernel;
  TuningSizes sizes{};
  std::string variant;
  double ms = 0;

  bool operator==(const Measurement&) const = default;
};

// The device of measurements, as its driver names it.
struct TuningTarget {
  std::string platform{};
  std::string vendor{};
  std::string device{};
  std::string driver{};
  std::string kind{};          // as to_string(DeviceKind)
  std::string instructions{};  // "avx512" or "avx2", as a CPU's compiler uses them; else empty

  bool operator==(const TuningTarget&) const = default;
};

struct TuningFile {
  TuningTarget target{};
  std::vector<Measurement> measurements{};

  bool operator==(const TuningFile&) const = default;
};

// Writes the text form: a first line with the version, one line per field of the target that is not
// empty, one line per measurement; blank lines and lines that start with # are ignored.
//   lookalike tuning 1
//   platform: NVIDIA CUDA
//   device: NVIDIA H200
//   transpose width=8192 height=8192 variant=local ms=0.31
std::string format_tuning_file(const TuningFile& file);

// Reads the text form. Throws Error(kInput, "name:line: ...") at the first line that breaks it.
TuningFile parse_tuning_file(std::string_view text, std::string_view name);

}  // namespace lookalike
