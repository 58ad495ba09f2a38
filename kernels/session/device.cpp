#include "kernels/session/device.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/statvfs.h>
#include <system_error>

#include "base/error.h"
#include "base/parse_number.h"

namespace lookalike {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::kGpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::kCpu;
  return DeviceKind::kAccelerator;
}

DeviceInfo describe(const cl::Platform& platform, const cl::Device& device) {
  DeviceInfo info;
  info.platform = platform.getInfo<CL_PLATFORM_NAME>();
  info.platform_version = platform.getInfo<CL_PLATFORM_VERSION>();
  info.name = device.getInfo<CL_DEVICE_NAME>();
  info.vendor = device.getInfo<CL_DEVICE_VENDOR>();
  info.version = device.getInfo<CL_DEVICE_VERSION>();
  info.driver = device.getInfo<CL_DRIVER_VERSION>();
  info.kind = kind_of(device.getInfo<CL_DEVICE_TYPE>());
  info.global_memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  info.max_allocation_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  info.local_memory_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  info.constant_buffer_bytes = device.getInfo<CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE>();
  info.max_work_group_size = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  info.claims_int64_atomics = contains(extensions, "cl_khr_int64_base_atomics");
  info.has_doubles = contains(extensions, "cl_khr_fp64");
  info.rounds_exactly =
      (device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return info;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform) {
  std::vector<cl::Device> devices;
  try {
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  } catch (const cl::Error& error) {
    if (error.err() != CL_DEVICE_NOT_FOUND) throw;
  }
  return devices;
}

struct Choice {
  std::string_view platform;
  std::optional<DeviceKind> kind;
  std::string_view name;
  std::optional<std::size_t> index;
};

std::optional<DeviceKind> parse_kind(std::string_view text, std::string_view choice) {
  if (text.empty()) return std::nullopt;
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu, DeviceKind::kAccelerator}) {
    if (lower(text) == lower(to_string(kind))) return kind;
  }
  throw Error(ErrorKind::kUsage, "device: the type must be GPU, CPU or ACCELERATOR, was '" +
                                     std::string(text) + "' in '" + std::string(choice) + "'");
}

Choice parse(std::string_view text) {
  if (std::count(text.begin(), text.end(), ':') != 2) {
    throw Error(ErrorKind::kUsage,
                "device: expected platform:type:name-or-index, was '" + std::string(text) + "'");
  }
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  Choice choice;
  choice.platform = text.substr(0, first);
  choice.kind = parse_kind(text.substr(first + 1, second - first - 1), text);
  choice.name = text.substr(second + 1);
  choice.index = parse_number<std::size_t>(choice.name);
  if (choice.index) choice.name = {};
  return choice;
}

// True if the ICD loader has drivers to load.
bool has_drivers() {
  const char* const other = std::getenv("OCL_ICD_VENDORS");
  std::error_code error;
  const std::filesystem::directory_iterator drivers(other ? other : "/etc/OpenCL/vendors", error);
  return !error && drivers != std::filesystem::directory_iterator();
}

Error no_device() {
  return {ErrorKind::kDevice,
          has_drivers()
              ? "device: the installed OpenCL drivers offer no device; PoCL offers none if it "
                "cannot write its cache: set POCL_CACHE_DIR to a folder that it can write"
              : "device: no OpenCL device found; install your GPU's OpenCL driver, or PoCL "
                "(package pocl-opencl-icd) to run on the CPU"};
}

std::vector<std::size_t> by_kind(const std::vector<Device>& devices) {
  std::vector<std::size_t> order;
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu, DeviceKind::kAccelerator}) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].info.kind == kind) order.push_back(i);
    }
  }
  return order;
}

}  // namespace

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "GPU";
    case DeviceKind::kCpu:
      return "CPU";
    case DeviceKind::kAccelerator:
      break;
  }
  return "ACCELERATOR";
}

bool DeviceInfo::overlaps_queues() const {
  return !is_pocl() || contains(platform_version, "pocl 3.");
}

std::vector<Device> list_devices() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return {};  // the loader reports "no platform" as an error
  }
  std::vector<Device> devices;
  for (const cl::Platform& platform : platforms) {
    for (const cl::Device& device : devices_of(platform)) {
      devices.push_back({device, describe(platform, device)});
    }
  }
  return devices;
}

std::vector<std::size_t> matching_devices(const std::vector<Device>& devices,
                                          std::string_view choice) {
  if (devices.empty()) throw no_device();
  if (choice.empty()) return by_kind(devices);
  const Choice wanted = parse(choice);
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& info = devices[i].info;
    if (!contains(info.platform, wanted.platform) || !contains(info.name, wanted.name)) continue;
    if (wanted.kind && info.kind != *wanted.kind) continue;
    matches.push_back(i);
  }
  if (wanted.index) {
    if (*wanted.index < matches.size()) return {matches[*wanted.index]};
    matches.clear();
  }
  if (!matches.empty()) return matches;
  throw Error(ErrorKind::kDevice, "device: nothing matches '" + std::string(choice) +
                                      "'; `lookalike devices` lists all devices");
}

std::filesystem::path pocl_cache_folder() {
  const auto folder = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::filesystem::path(value ? value : "");
  };
  if (auto own = folder("POCL_CACHE_DIR"); !own.empty()) return own;
  if (const auto user = folder("XDG_CACHE_HOME"); !user.empty()) return user / "pocl";
  const auto home = folder("HOME");
  return home.empty() ? home : home / ".cache/pocl";
}

void require_room_for_kernels(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::error_code error;
  std::filesystem::path existing = folder;
  while (!existing.empty() && existing != existing.parent_path() &&
         !std::filesystem::exists(existing, error)) {
    existing = existing.parent_path();
  }
  struct statvfs system {};
  if (existing.empty() || ::statvfs(existing.c_str(), &system) != 0 || system.f_blocks == 0) return;
  const std::uint64_t room = std::uint64_t{system.f_bavail} * system.f_frsize;
  const bool has_files_left = system.f_files == 0 || system.f_favail > 0;
  if (room >= bytes && has_files_left) return;
  throw Error(ErrorKind::kDevice,
              folder.string() + ": has no room for compiled kernels: " +
                  (has_files_left ? std::to_string(room >> 10U) + " KiB are free, and they take " +
                                        std::to_string(bytes >> 10U)
                                  : "its file system has no file left") +
                  "; make room there, or set POCL_CACHE_DIR to another folder");
}

}  // namespace lookalike
