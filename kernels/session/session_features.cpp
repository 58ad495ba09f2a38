// What OpenClSession finds out about its device on first use.
#include <array>
#include <string>

#include "kernels/session/session.h"
#include "kernels/tuning/tuning_store.h"

namespace lookalike {
namespace {

// The instruction set of a CPU device by which tuning files go: "avx512", "avx2" or empty. Asked of
// the device's compiler rather than of the CPU, since PoCL can be built or told to use less.
// Throws Error(kDevice) when OpenCL fails.
std::string cpu_instructions(OpenClSession& session) {
  static constexpr std::array<const char*, 3> kLevels = {"", "avx2", "avx512"};
  cl::Kernel probe = session.kernel({"tuning/instruction_set.cl"}, "instruction_set");
  const cl::Buffer level = session.allocate(sizeof(cl_int));
  set_arguments(probe, level);
  session.launch(probe, "instruction_set", {1}, cl::NDRange{1});
  std::array<cl_int, 1> result{};
  session.read<cl_int>(level, result);
  return kLevels.at(static_cast<std::size_t>(result[0]));
}

// Some drivers claim the extension and then add only 32 bits, so the sum passes 32 bits.
bool adds_64_bits(OpenClSession& session) {
  constexpr std::size_t kItems = 1024;
  constexpr cl_ulong kStep = 0x123456789ULL;
  cl::Kernel add = session.kernel({"session/int64_atomics_test.cl"}, "add_to_sum");
  const cl::Buffer sum = session.allocate(sizeof(cl_ulong));
  session.clear(sum, sizeof(cl_ulong));
  set_arguments(add, sum, kStep);
  session.launch(add, "int64_atomics_test", {kItems});
  std::array<cl_ulong, 1> result{};
  session.read<cl_ulong>(sum, result);
  return result[0] == kItems * kStep;
}

}  // namespace

bool OpenClSession::has_int64_atomics() {
  return device_.info.claims_int64_atomics &&
         supports("64-bit atomics", [this] { return adds_64_bits(*this); });
}

bool OpenClSession::supports(const std::string& feature, const std::function<bool()>& probe) {
  const auto known = features_.find(feature);
  if (known != features_.end()) return known->second;
  bool has_feature = false;
  try {
    has_feature = probe();
  } catch (const Error&) {
    // A device without the feature may refuse to compile or to run the trial.
  }
  return features_[feature] = has_feature;
}

const TuningTarget& OpenClSession::tuning_target() {
  if (!tuning_target_) {
    const DeviceInfo& info = device_.info;
    tuning_target_ = {info.platform,
                      info.vendor,
                      info.name,
                      info.driver,
                      std::string(to_string(info.kind)),
                      is_cpu() ? cpu_instructions(*this) : ""};
  }
  return *tuning_target_;
}

const Tuning& OpenClSession::tuning() {
  if (!tuning_) {
    const auto warn = [this](const std::string& line) {
      if (options_.warn) options_.warn(line);
    };
    tuning_ = load_tuning(tuning_target(), options_.tuning_folder, shipped_tunings(), warn);
  }
  return *tuning_;
}

}  // namespace lookalike
