#include "kernels/session/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "kernels/session/kernel_source.h"
#include "kernels/tuning/tuning.h"

namespace lookalike {
namespace {

// Freed memory may take 50 times 2 ms to come back.
constexpr int kMaxReleaseWaits = 50;
constexpr std::chrono::milliseconds kReleaseWait{2};
// Events held until their times are added up.
constexpr std::size_t kMaxEvents = 1024;
// Copies of at most this size, and all that were not waited for together, go through staging
// memory.
constexpr std::size_t kMostStagedBytes = std::size_t{64} << 20U;
constexpr std::chrono::microseconds kNap{20};

// Runs `work`, which may throw cl::Error.
template <typename Work>
auto translate(const std::string& where, Work&& work) {
  try {
    return work();
  } catch (const cl::Error& error) {
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
}

void CL_CALLBACK on_release(cl_mem /*memory*/, void* data) {
  auto* release = static_cast<std::function<void()>*>(data);
  (*release)();
  delete release;
}

cl::NDRange whole_groups(cl::NDRange global, const cl::NDRange& local) {
  for (std::size_t i = 0; i < global.dimensions(); ++i) {
    global.get()[i] = round_up(global.get()[i], std::max<std::size_t>(1, local.get()[i]));
  }
  return global;
}

bool is_nothing(const cl::NDRange& global) {
  return std::count(global.get(), global.get() + global.dimensions(), 0) > 0;
}

double milliseconds(cl_ulong start_ns, cl_ulong end_ns) {
  return static_cast<double>(end_ns - start_ns) * 1e-6;
}

// Returns the time of a command that has ended.
double elapsed_ms(const cl::Event& event) {
  return milliseconds(event.getProfilingInfo<CL_PROFILING_COMMAND_START>(),
                      event.getProfilingInfo<CL_PROFILING_COMMAND_END>());
}

void sleep_until_done(const cl::Event& event) {
  cl_int status = CL_QUEUED;
  while ((status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>()) > CL_COMPLETE) {
    std::this_thread::sleep_for(kNap);
  }
  if (status < CL_COMPLETE) throw cl::Error(status, "a command before a copy");
}

// Returns the instruction set of a CPU device for its tuning file: "avx512", "avx2" or empty. Asks
// the device's compiler rather than the CPU, since PoCL can be built or configured to use less.
// Throws Error(kDevice) when OpenCL fails.
std::string cpu_instructions(OpenClSession& session) {
  static constexpr std::array<const char*, 3> kLevels = {"", "avx2", "avx512"};
  cl::Kernel probe = session.kernel({"session/instruction_set.cl"}, "instruction_set");
  const cl::Buffer level = session.allocate(sizeof(cl_int));
  set_arguments(probe, level);
  session.launch(probe, "instruction_set", {1}, cl::NDRange{1});
  std::array<cl_int, 1> result{};
  session.read<cl_int>(level, result);
  return kLevels.at(static_cast<std::size_t>(result[0]));
}

// Tries a sum above 32 bits: some drivers claim the extension and then add only 32.
bool adds_64_bits(OpenClSession& session) {
  constexpr std::size_t kItems = 1024;
  constexpr cl_ulong kStep = 0x123456789ULL;
  cl::Kernel add = session.kernel({"session/int64_atomics.cl"}, "add_to_sum");
  const cl::Buffer sum = session.allocate(sizeof(cl_ulong));
  session.clear(sum, sizeof(cl_ulong));
  set_arguments(add, sum, kStep);
  session.launch(add, "int64_atomics_test", {kItems});
  std::array<cl_ulong, 1> result{};
  session.read<cl_ulong>(sum, result);
  return result[0] == kItems * kStep;
}

// Returns the first matching device to which there is no objection. Throws Error(kDevice) with all
// objections if there is none.
Device pick(const SessionOptions& options) {
  std::vector<Device> devices = list_devices();
  std::string objections;
  for (const std::size_t i : matching_devices(devices, options.device)) {
    const auto objection = options.object ? options.object(i, devices[i].info) : std::nullopt;
    if (!objection) {
      if (!objections.empty() && options.warn) {
        options.warn("device: " + objections + "; using " + devices[i].info.name);
      }
      return devices[i];
    }
    objections += (objections.empty() ? "" : "; ") + *objection;
  }
  throw Error(ErrorKind::kDevice, "device: " + objections);
}

}  // namespace

OpenClSession::Shared::Shared(const SessionOptions& session_options)
    : options(session_options),
      device(translate("device", [&] { return pick(options); })),
      context(translate("device", [&] { return cl::Context(device.handle); })),
      only_queue(device.info.overlaps_queues() ? std::nullopt : std::optional(make_queue())),
      cache(options.program_cache),
      allocated_bytes(std::make_shared<std::atomic<std::uint64_t>>(0)) {}

OpenClSession::OpenClSession(const SessionOptions& options)
    : OpenClSession(std::make_shared<Shared>(options)) {}

cl::CommandQueue OpenClSession::Shared::make_queue() const {
  return translate("device", [&] {
    return cl::CommandQueue(
        context, device.handle,
        options.profile ? cl::QueueProperties::Profiling : cl::QueueProperties::None);
  });
}

OpenClSession::OpenClSession(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)),
      queue_(shared_->only_queue ? *shared_->only_queue : shared_->make_queue()) {}

cl::Kernel& LazyKernel::get() {
  if (kernel_() == nullptr) kernel_ = session_.kernel(sources_, name_, options_);
  return kernel_;
}

cl::Kernel OpenClSession::kernel(const std::vector<std::string>& sources, const std::string& name,
                                 const std::string& options) {
  std::string text;
  for (const std::string& source : sources) text += kernel_source(source);
  const std::string key = options + '\n' + text;
  return translate("kernel " + name, [&] {
    const std::lock_guard lock(shared_->mutex);
    auto& programs = shared_->programs;
    auto found = programs.find(key);
    if (found == programs.end()) found = programs.emplace(key, build(text, options)).first;
    return cl::Kernel(found->second, name.c_str());
  });
}

cl::Program OpenClSession::build(const std::string& source, const std::string& options) {
  const DeviceInfo& info = device();
  cl::Context& context = shared_->context;
  const cl::Device& handle = shared_->device.handle;
  const std::string key = info.platform_version + '\n' + info.name + '\n' + info.driver + '\n' +
                          options + '\n' + source;
  auto cached = shared_->cache.load(key);
  if (cached && !cached->binary.empty()) {
    const std::optional<LoadingGuard> guard = std::move(cached->guard);
    try {
      cl::Program program(context, {handle}, {cached->binary});
      program.build({handle}, options.c_str());
      return program;
    } catch (const cl::Error&) {
      // A binary that no longer loads is built from its source again, below.
    }
  }
  if (!cached) {
    announce_building();
    if (info.is_pocl()) require_room_for_kernels(pocl_cache_folder());
  }
  cl::Program program(context, source);
  try {
    program.build({handle}, options.c_str());
  } catch (const cl::Error&) {
    throw Error(ErrorKind::kDevice, "kernel: the compiler of " + info.name +
                                        " refused a program (options '" + options + "'):\n" +
                                        program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(handle));
  }
  const bool leaves_binary = info.is_pocl() && shared_->options.answer_soon;
  const bool is_settled = cached && (leaves_binary || cached->is_refused);
  if (shared_->cache.is_on() && !is_settled) {
    shared_->cache.store(key, leaves_binary ? std::vector<unsigned char>()
                                            : program.getInfo<CL_PROGRAM_BINARIES>().front());
  }
  return program;
}

// Says nothing without a cache, where programs are built in every run.
void OpenClSession::announce_building() {
  if (shared_->announced || !shared_->cache.is_on()) return;
  shared_->announced = true;
  if (shared_->options.inform) {
    shared_->options.inform("building kernels for " + device().name +
                            ", which are kept: the first use takes some seconds longer");
  }
}

cl::Buffer OpenClSession::allocate(std::size_t bytes, cl_mem_flags flags) {
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::uint64_t limit = shared_->options.memory_limit_bytes;
  const std::string where = "device memory of " + device().name;
  const std::lock_guard lock(shared_->allocating);
  if (limit > 0 && !wait_for_room(size)) {
    throw DeviceOutOfMemory(where + ": " + std::to_string(size) + " bytes more would pass the " +
                            "configured limit of " + std::to_string(limit));
  }
  return translate(where, [&] {
    cl::Buffer buffer(shared_->context, flags, size);
    auto release = std::make_unique<std::function<void()>>(
        [counter = shared_->allocated_bytes, size] { *counter -= size; });
    buffer.setDestructorCallback(on_release, release.get());
    static_cast<void>(release.release());  // on_release() deletes it
    *shared_->allocated_bytes += size;
    return buffer;
  });
}

// Waits until `size` bytes fit the limit: the driver may return released memory a moment later, on
// a thread of its own.
bool OpenClSession::wait_for_room(std::uint64_t size) {
  const auto has_room = [&] {
    return *shared_->allocated_bytes + size <= shared_->options.memory_limit_bytes;
  };
  if (has_room()) return true;
  finish();
  for (int wait = 0; wait < kMaxReleaseWaits && !has_room(); ++wait) {
    std::this_thread::sleep_for(kReleaseWait);
  }
  return has_room();
}

// Runs a blocking copy, and times it.
void OpenClSession::transfer(const char* where, const std::function<void(cl::Event*)>& copy) {
  translate(where, [&] {
    cl::Event event;
    copy(shared_->options.profile ? &event : nullptr);
    if (!shared_->options.profile) return;
    ++transfers_.launches;
    transfers_.total_ms += elapsed_ms(event);
  });
}

// True if copies of this size go through staging memory: a CPU device reads the host's memory, and
// large copies are rare.
bool OpenClSession::is_staged(std::size_t bytes) const {
  return !is_cpu() && bytes <= kMostStagedBytes;
}

// Returns a piece of staging memory. The queue is in order: once it has been waited for, no copy
// uses a piece, and all that nobody holds are free.
void* OpenClSession::stage(std::size_t bytes) {
  if (held_pieces_ == 0) {
    if (staging_->taken_bytes() + bytes > kMostStagedBytes) finish();
    if (!reads_staging_) staging_->free_all();
  }
  return translate("page-locked host memory",
                   [&] { return staging_->take(shared_->context, queue_, bytes); });
}

// Queues a copy from staging memory.
void OpenClSession::stage_in(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                             const void* from) {
  reads_staging_ = true;
  translate("copy to device", [&] {
    cl::Event event;
    const bool profile = shared_->options.profile;
    queue_.enqueueWriteBuffer(buffer, CL_FALSE, offset, bytes, from, nullptr,
                              profile ? &event : nullptr);
    if (!profile) return;
    ++transfers_.launches;
    copies_.push_back(std::move(event));
  });
}

// Copies to staging memory and waits.
void OpenClSession::stage_out(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                              void* to) {
  transfer("copy from device", [&](cl::Event* event) {
    if (!around_wait_) {
      queue_.enqueueReadBuffer(buffer, CL_TRUE, offset, bytes, to, nullptr, event);
      return;
    }
    cl::Event copied;
    queue_.enqueueReadBuffer(buffer, CL_FALSE, offset, bytes, to, nullptr, &copied);
    queue_.flush();
    around_wait_([&] { sleep_until_done(copied); });
    if (event != nullptr) *event = copied;
  });
  reads_staging_ = false;
}

void OpenClSession::write_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                                const void* from) {
  if (bytes == 0) return;
  if (is_staged(bytes)) {
    void* const piece = stage(bytes);
    std::memcpy(piece, from, bytes);
    return stage_in(buffer, offset, bytes, piece);
  }
  transfer("copy to device", [&](cl::Event* event) {
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, offset, bytes, from, nullptr, event);
  });
}

void OpenClSession::read_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                               void* to) {
  if (bytes == 0) return;
  if (is_staged(bytes)) {
    void* const piece = stage(bytes);
    stage_out(buffer, offset, bytes, piece);
    std::memcpy(to, piece, bytes);
    return;
  }
  transfer("copy from device", [&](cl::Event* event) {
    queue_.enqueueReadBuffer(buffer, CL_TRUE, offset, bytes, to, nullptr, event);
  });
}

std::shared_ptr<void> OpenClSession::map_bytes(const cl::Buffer& buffer, std::size_t bytes,
                                               MapFor use) {
  const cl_map_flags flags = use == MapFor::kReading ? CL_MAP_READ : CL_MAP_WRITE_INVALIDATE_REGION;
  void* values = nullptr;
  transfer("map of device memory", [&](cl::Event* event) {
    values = queue_.enqueueMapBuffer(buffer, CL_TRUE, flags, 0, bytes, nullptr, event);
  });
  // The C function: a deleter must not throw.
  return {values, [this, buffer, is_copy = use == MapFor::kWriting](void* mapped) {
            cl_event event = nullptr;
            const bool timed = shared_->options.profile && is_copy;
            clEnqueueUnmapMemObject(queue_(), buffer(), mapped, 0, nullptr,
                                    timed ? &event : nullptr);
            if (event != nullptr) copies_.emplace_back(event);
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
        local.value_or(cl::NullRange), nullptr, shared_->options.profile ? &event : nullptr);
    if (shared_->options.profile) add_launch(label, event);
  });
}

void OpenClSession::launch_foreign(std::string_view label,
                                   const std::function<void(cl_command_queue)>& enqueue) {
  translate("launch of " + std::string(label), [&] {
    cl::Event before;
    cl::Event last;
    if (shared_->options.profile) queue_.enqueueMarkerWithWaitList(nullptr, &before);
    enqueue(queue_());
    if (!shared_->options.profile) return;
    queue_.enqueueMarkerWithWaitList(nullptr, &last);
    add_launch(label, last, before);
  });
}

void OpenClSession::finish() {
  translate("finish", [&] { queue_.finish(); });
  reads_staging_ = false;
}

void OpenClSession::add_launch(std::string_view label, cl::Event last, cl::Event before) {
  launches_.push_back({std::string(label), std::move(last), std::move(before)});
  if (launches_.size() >= kMaxEvents) fold_profile();
}

// Waits for the launches so far and adds up their times.
void OpenClSession::fold_profile() {
  finish();
  translate("profile", [&] {
    for (const auto& [label, last, before] : std::exchange(launches_, {})) {
      LaunchTime& time = launch_times_[label];
      ++time.launches;
      time.total_ms += before() == nullptr
                           ? elapsed_ms(last)
                           : milliseconds(before.getProfilingInfo<CL_PROFILING_COMMAND_END>(),
                                          last.getProfilingInfo<CL_PROFILING_COMMAND_END>());
    }
  });
}

std::map<std::string, LaunchTime> OpenClSession::drain_profile() {
  fold_profile();
  return std::exchange(launch_times_, {});
}

LaunchTime OpenClSession::drain_transfers() {
  finish();
  translate("profile", [&] {
    for (const cl::Event& copy : std::exchange(copies_, {}))
      transfers_.total_ms += elapsed_ms(copy);
  });
  return std::exchange(transfers_, {});
}

bool OpenClSession::has_int64_atomics() {
  return device().claims_int64_atomics &&
         supports("64-bit atomics", [this] { return adds_64_bits(*this); });
}

// Leaves the mutex free during the probe, which builds kernels; the first result stays.
bool OpenClSession::supports(const std::string& feature, const std::function<bool()>& probe) {
  std::unique_lock lock(shared_->mutex);
  const auto known = shared_->features.find(feature);
  if (known != shared_->features.end()) return known->second;
  lock.unlock();
  bool has_feature = false;
  try {
    has_feature = probe();
  } catch (const DeviceOutOfMemory&) {
    return false;  // proves nothing about the device: the next call probes again
  } catch (const Error&) {
    // A device without the feature may refuse to compile or to run the trial.
  }
  lock.lock();
  return shared_->features.emplace(feature, has_feature).first->second;
}

const TuningTarget& OpenClSession::tuning_target() {
  std::unique_lock lock(shared_->mutex);
  std::optional<TuningTarget>& target = shared_->tuning_target;
  if (target) return *target;
  lock.unlock();
  const DeviceInfo& info = device();
  TuningTarget found = {info.platform,
                        info.vendor,
                        info.name,
                        info.driver,
                        std::string(to_string(info.kind)),
                        is_cpu() ? cpu_instructions(*this) : ""};
  lock.lock();
  if (!target) target = std::move(found);
  return *target;
}

const Tuning& OpenClSession::tuning() {
  std::unique_lock lock(shared_->mutex);
  std::optional<Tuning>& tuning = shared_->tuning;
  if (tuning) return *tuning;
  lock.unlock();
  const SessionOptions& options = shared_->options;
  const auto warn = [&](const std::string& line) {
    if (options.warn) options.warn(line);
  };
  std::vector<TuningFile> shipped;
  for (const std::string_view name : kernel_source_names("tuning/shipped/")) {
    shipped.push_back(parse_tuning_file(kernel_source(name), name));
  }
  Tuning loaded = load_tuning(tuning_target(), options.tuning_folder, shipped, warn);
  lock.lock();
  if (!tuning) tuning = std::move(loaded);
  return *tuning;
}

void for_each_batch(std::size_t total, std::size_t batch,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  std::size_t first = 0;
  batch = std::max<std::size_t>(batch, 1);
  while (first < total) {
    const std::size_t count = std::min(batch, total - first);
    try {
      work(first, count);
      first += count;
    } catch (const DeviceOutOfMemory&) {
      if (count == 1) throw;
      batch = count / 2;
    }
  }
}

// Frees the old memory first, so that both are never held together.
void GrowingBuffer::reserve(OpenClSession& session, std::size_t wanted_bytes) {
  if (wanted_bytes <= bytes && buffer() != nullptr) return;
  *this = {};
  buffer = session.allocate(wanted_bytes);
  bytes = wanted_bytes;
}

}  // namespace lookalike
