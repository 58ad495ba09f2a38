#include "kernels/session/session.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "kernels/session/kernel_source.h"

namespace lookalike {
namespace {

// How long freed memory may take to come back: 50 times 2 ms.
constexpr int kMaxReleaseWaits = 50;
constexpr std::chrono::milliseconds kReleaseWait{2};

[[noreturn]] void rethrow(const cl::Error& error, const std::string& where) {
  const std::string message =
      where + ": " + error.what() + " failed with OpenCL error " + std::to_string(error.err());
  switch (error.err()) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
      throw DeviceOutOfMemory(message + " (out of device memory)");
    default:
      throw Error(ErrorKind::kDevice, message);
  }
}

template <typename Work>
auto translate(const std::string& where, Work&& work) {
  try {
    return work();
  } catch (const cl::Error& error) {
    rethrow(error, where);
  }
}

void CL_CALLBACK on_release(cl_mem /*memory*/, void* data) {
  auto* release = static_cast<std::function<void()>*>(data);
  (*release)();
  delete release;
}

cl::NDRange whole_groups(const cl::NDRange& global, const cl::NDRange& local) {
  const auto side = [&](std::size_t i) {
    return round_up(global.get()[i], std::max<std::size_t>(1, local.get()[i]));
  };
  switch (global.dimensions()) {
    case 1:
      return {side(0)};
    case 2:
      return {side(0), side(1)};
    default:
      return {side(0), side(1), side(2)};
  }
}

bool is_nothing(const cl::NDRange& global) {
  for (std::size_t i = 0; i < global.dimensions(); ++i) {
    if (global.get()[i] == 0) return true;
  }
  return false;
}

Device pick(const std::string& choice) {
  std::vector<Device> devices = list_devices();
  return devices[choose_device(devices, choice)];
}

}  // namespace

OpenClSession::OpenClSession(const SessionOptions& options)
    : options_(options),
      device_(translate("device", [&] { return pick(options.device); })),
      context_(translate("device", [&] { return cl::Context(device_.handle); })),
      queue_(translate("device",
                       [&] {
                         return cl::CommandQueue(context_, device_.handle,
                                                 options.profile ? cl::QueueProperties::Profiling
                                                                 : cl::QueueProperties::None);
                       })),
      cache_(options.program_cache),
      allocated_bytes_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}

cl::Kernel OpenClSession::kernel(const std::vector<std::string>& sources, const std::string& name,
                                 const std::string& options) {
  std::string text;
  for (const std::string& source : sources) text += kernel_source(source);
  const std::string key = options + '\n' + text;
  return translate("kernel " + name, [&] {
    auto found = programs_.find(key);
    if (found == programs_.end()) found = programs_.emplace(key, build(text, options)).first;
    return cl::Kernel(found->second, name.c_str());
  });
}

cl::Program OpenClSession::build(const std::string& source, const std::string& options) {
  const DeviceInfo& info = device_.info;
  const std::string key = info.platform_version + '\n' + info.name + '\n' + info.driver + '\n' +
                          options + '\n' + source;
  if (const auto binary = cache_.load(key)) {
    try {
      cl::Program program(context_, {device_.handle}, {*binary});
      program.build({device_.handle}, options.c_str());
      return program;
    } catch (const cl::Error&) {
      // A binary that no longer loads is built again from its source, below.
    }
  }
  cl::Program program(context_, source);
  try {
    program.build({device_.handle}, options.c_str());
  } catch (const cl::Error&) {
    throw Error(ErrorKind::kDevice, "kernel: the compiler of " + info.name +
                                        " refused a program (options '" + options + "'):\n" +
                                        program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_.handle));
  }
  cache_.store(key, program.getInfo<CL_PROGRAM_BINARIES>().front());
  return program;
}

cl::Buffer OpenClSession::allocate(std::size_t bytes, cl_mem_flags flags) {
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::uint64_t limit = options_.memory_limit_bytes;
  const std::string where = "device memory of " + device_.info.name;
  if (limit > 0 && !wait_for_room(size)) {
    throw DeviceOutOfMemory(where + ": " + std::to_string(size) + " bytes more would pass the " +
                            "configured limit of " + std::to_string(limit));
  }
  return translate(where, [&] {
    cl::Buffer buffer(context_, flags, size);
    auto release = std::make_unique<std::function<void()>>(
        [counter = allocated_bytes_, size] { *counter -= size; });
    buffer.setDestructorCallback(on_release, release.get());
    release.release();
    *allocated_bytes_ += size;
    return buffer;
  });
}

// Memory that the program has given up may be returned by the driver's own thread, a moment later.
bool OpenClSession::wait_for_room(std::uint64_t size) {
  const auto has_room = [&] { return *allocated_bytes_ + size <= options_.memory_limit_bytes; };
  if (has_room()) return true;
  finish();
  for (int wait = 0; wait < kMaxReleaseWaits && !has_room(); ++wait) {
    std::this_thread::sleep_for(kReleaseWait);
  }
  return has_room();
}

// A copy that blocks.
void OpenClSession::transfer(const char* where, const std::function<void(cl::Event*)>& copy) {
  translate(where, [&] {
    cl::Event event;
    copy(options_.profile ? &event : nullptr);
    if (options_.profile) profile_.add_transfer(event);
  });
}

void OpenClSession::write_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                                const void* from) {
  if (bytes == 0) return;
  transfer("copy to device", [&](cl::Event* event) {
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, offset, bytes, from, nullptr, event);
  });
}

void OpenClSession::read_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                               void* to) {
  if (bytes == 0) return;
  transfer("copy from device", [&](cl::Event* event) {
    queue_.enqueueReadBuffer(buffer, CL_TRUE, offset, bytes, to, nullptr, event);
  });
}

std::shared_ptr<const void> OpenClSession::map_bytes(const cl::Buffer& buffer, std::size_t bytes) {
  void* values = nullptr;
  transfer("map of device memory", [&](cl::Event* event) {
    values = queue_.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ, 0, bytes, nullptr, event);
  });
  // The C function: a deleter must not throw.
  return {values, [queue = queue_, buffer](void* mapped) {
            clEnqueueUnmapMemObject(queue(), buffer(), mapped, 0, nullptr, nullptr);
          }};
}

void OpenClSession::clear(const cl::Buffer& buffer, std::size_t bytes) {
  if (bytes == 0) return;
  translate("clear", [&] { queue_.enqueueFillBuffer(buffer, cl_uchar{0}, 0, bytes); });
}

void OpenClSession::launch(const cl::Kernel& kernel, std::string_view label, cl::NDRange global,
                           std::optional<cl::NDRange> local) {
  if (is_nothing(global)) return;
  translate("launch of " + std::string(label), [&] {
    cl::Event event;
    queue_.enqueueNDRangeKernel(
        kernel, cl::NullRange, local ? whole_groups(global, *local) : global,
        local.value_or(cl::NullRange), nullptr, options_.profile ? &event : nullptr);
    if (options_.finish_each_launch) queue_.finish();
    if (options_.profile) profile_.add_launch(std::string(label), event);
  });
  keep_profile_small();
}

void OpenClSession::launch_foreign(std::string_view label,
                                   const std::function<void(cl_command_queue)>& enqueue) {
  translate("launch of " + std::string(label), [&] {
    cl::Event before;
    cl::Event last;
    if (options_.profile) queue_.enqueueMarkerWithWaitList(nullptr, &before);
    enqueue(queue_());
    if (options_.profile) queue_.enqueueMarkerWithWaitList(nullptr, &last);
    if (options_.finish_each_launch) queue_.finish();
    if (options_.profile) profile_.add_launch(std::string(label), last, before);
  });
  keep_profile_small();
}

void OpenClSession::keep_profile_small() {
  if (!profile_.is_full()) return;
  finish();
  translate("profile", [&] { profile_.fold(); });
}

void OpenClSession::finish() {
  translate("finish", [&] { queue_.finish(); });
}

std::map<std::string, LaunchTime> OpenClSession::drain_profile() {
  finish();
  return translate("profile", [&] { return profile_.drain_launches(); });
}

LaunchTime OpenClSession::drain_transfers() {
  return profile_.drain_transfers();
}

}  // namespace lookalike
