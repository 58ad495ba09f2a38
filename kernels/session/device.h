#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/session/opencl.h"

namespace lookalike {

enum class DeviceKind { kGpu, kCpu, kAccelerator };

std::string_view to_string(DeviceKind kind);

// The properties that an OpenCL device reports.
struct DeviceInfo {
  std::string platform;
  std::string platform_version;
  std::string name;
  std::string vendor;
  std::string version;
  std::string driver;
  DeviceKind kind = DeviceKind::kCpu;
  std::uint64_t global_memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t constant_buffer_bytes = 0;
  std::size_t max_work_group_size = 0;
  std::uint32_t compute_units = 0;
  bool claims_int64_atomics = false;
  bool has_doubles = false;
  bool rounds_exactly = false;  // can round float quotients and square roots correctly

  bool is_nvidia() const { return vendor.find("NVIDIA") != std::string::npos; }
  // PoCL compiles a kernel for the size of its work-groups at the first launch, keeps it on disk,
  // and compiles it once more, for every size, to return a program's binary.
  bool is_pocl() const { return platform == "Portable Computing Language"; }
  // True if several queues may run kernels at the same time. PoCL 5.0 aborts, in its cache of
  // loaded kernels, when one kernel runs in two queues at once; 3.1 does not.
  bool overlaps_queues() const;
};

struct Device {
  cl::Device handle;
  DeviceInfo info;
};

// Returns every device of every platform, in the loader's order; empty without a platform.
std::vector<Device> list_devices();

// Returns the indices of the devices that `choice` names, the best first: at least one. The form is
// "platform:type:name-or-index", that of OpenCV's OPENCV_OPENCL_DEVICE. Each part may be empty.
// Platform and name match any part of the real name, in any case; type is GPU, CPU or ACCELERATOR;
// an index counts the devices that the other parts leave, and names one. Those that a choice leaves
// are in the loader's order; an empty choice takes GPUs first, then CPU devices, then the others.
// Throws Error(kUsage) when the choice is malformed, Error(kDevice) when nothing matches.
std::vector<std::size_t> matching_devices(const std::vector<Device>& devices,
                                          std::string_view choice);

// Returns the folder in which PoCL keeps the kernels that it has compiled; empty without a home.
std::filesystem::path pocl_cache_folder();

// Room for all kernels of lookalike: they took 2.8 MB in PoCL's cache (PoCL 3.1, two cores of an
// AMD EPYC, 2026-11-27).
inline constexpr std::uint64_t kKernelBytes = std::uint64_t{8} << 20U;

// Throws Error(kDevice) if a folder, or where it will be made, has less room than that: LLVM would
// end the process.
void require_room_for_kernels(const std::filesystem::path& folder,
                              std::uint64_t bytes = kKernelBytes);

}  // namespace lookalike
