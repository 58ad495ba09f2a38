#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/session/device.h"
#include "kernels/session/opencl.h"
#include "kernels/session/program_cache.h"
#include "kernels/session/staging.h"
#include "kernels/tuning/tuning.h"

namespace lookalike {

struct SessionOptions {
  std::string device{};                   // see matching_devices; empty: first GPU, then CPU
  std::filesystem::path program_cache{};  // folder for compiled programs; empty: none
  std::filesystem::path tuning_folder{};  // the user's own measurements; empty: none
  std::uint64_t memory_limit_bytes = 0;   // most device memory to use; 0: all
  bool profile = false;                   // time every launch
  // Optimise for latency: on PoCL, where reading a binary back makes the driver compile more, leave
  // storing it to a session without this flag (see DeviceInfo::is_pocl).
  bool answer_soon = false;
  // Returns why a device must not be used, nothing if it may be. The session takes the first
  // matching device without an objection. Optional.
  //   index  in list_devices()
  std::function<std::optional<std::string>(std::size_t index, const DeviceInfo&)> object{};
  // Both are optional, are called on any thread that uses a session of the device, and must not use
  // a session themselves.
  std::function<void(const std::string&)> warn{};  // receives one-line warnings
  // Receives one line before compiling the first program that the cache lacks.
  std::function<void(const std::string&)> inform{};
};

// The device has no room for an allocation; a smaller batch may fit.
class DeviceOutOfMemory : public Error {
 public:
  explicit DeviceOutOfMemory(const std::string& message) : Error(ErrorKind::kDevice, message) {}
};

// Calls work(first, count) over [0, total) in runs of at most `batch` items, halved while the
// device is out of memory. Throws DeviceOutOfMemory when a single item does not fit.
void for_each_batch(std::size_t total, std::size_t batch,
                    const std::function<void(std::size_t first, std::size_t count)>& work);

// Device time spent under one label.
struct LaunchTime {
  std::size_t launches = 0;
  double total_ms = 0;
};

// Returns the smallest multiple of `step` that is at least n.
constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

// Sets arguments 0, 1, ... of a kernel in order.
template <typename... Arguments>
void set_arguments(cl::Kernel& kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (kernel.setArg(index++, arguments), ...);
}

class OpenClSession;

// A kernel that is built on first use. The session must outlive it.
class LazyKernel {
 public:
  LazyKernel(OpenClSession& session, std::vector<std::string> sources, std::string name,
             std::string options = {})
      : session_(session),
        sources_(std::move(sources)),
        name_(std::move(name)),
        options_(std::move(options)) {}

  // Throws as OpenClSession::kernel.
  cl::Kernel& get();

 private:
  OpenClSession& session_;
  std::vector<std::string> sources_;
  std::string name_;
  std::string options_;
  cl::Kernel kernel_;
};

// A device, its context and an in-order queue. Only another_queue() may be called from several
// threads at once. Every member throws Error(kDevice) when OpenCL fails, DeviceOutOfMemory when the
// device is out of memory.
class OpenClSession {
 public:
  explicit OpenClSession(const SessionOptions& options = {});

  // Returns a session with a queue of its own, for another thread. It shares this session's device,
  // context, compiled programs, measurements and memory limit. Both may use a buffer, but nothing
  // orders the commands of two queues: call finish() on one session before the other uses the
  // buffer. Where queues do not work side by side (see DeviceInfo::overlaps_queues), both launch
  // into one.
  OpenClSession another_queue() const { return OpenClSession(shared_); }

  const DeviceInfo& device() const { return shared_->device.info; }
  bool is_cpu() const { return device().kind == DeviceKind::kCpu; }

  // True if 64-bit atomic addition works: claimed, and tested on first use as by supports().
  bool has_int64_atomics();

  // True if the device has a feature that only a trial shows: the result of `probe`, remembered
  // under the feature's name, once for all sessions of the device. Threads that call this at the
  // same time may each run their probe; the first result stays. A probe that throws Error counts as
  // false; one that runs out of memory proves nothing, and is not remembered.
  bool supports(const std::string& feature, const std::function<bool()>& probe);

  // Return the device as tuning files name it, and the measurements of it or of devices like it.
  // Both are determined on first use.
  const TuningTarget& tuning_target();
  const Tuning& tuning();

  // Builds kernel `name` from the embedded sources, joined in order, with `options`
  // ("-DNAME=value ..."). Programs are built once for all sessions of the device and cached in
  // options.program_cache.
  cl::Kernel kernel(const std::vector<std::string>& sources, const std::string& name,
                    const std::string& options = {});

  // Allocates uninitialised device memory, at least one byte.
  cl::Buffer allocate(std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE);
  template <typename T>
  cl::Buffer upload(std::span<const T> values) {
    cl::Buffer buffer = allocate(values.size_bytes());
    write(buffer, values);
    return buffer;
  }
  // Copy to or from a buffer, `offset` values from its start. Reading waits for all commands before
  // it; writing to a GPU waits for nothing.
  template <typename T>
  void write(const cl::Buffer& buffer, std::span<const T> values, std::size_t offset = 0) {
    write_bytes(buffer, offset * sizeof(T), values.size_bytes(), values.data());
  }
  template <typename T>
  void read(const cl::Buffer& buffer, std::span<T> values, std::size_t offset = 0) {
    read_bytes(buffer, offset * sizeof(T), values.size_bytes(), values.data());
  }
  // Calls look(span) on the first `count` values of a buffer, in place on a CPU, and through memory
  // to which a GPU copies at full speed.
  template <typename T, typename Look>
  void view(const cl::Buffer& buffer, std::size_t count, Look&& look) {
    if (count == 0) return look(std::span<const T>());
    if (is_staged(count * sizeof(T))) {
      const HeldPiece piece(*this, count * sizeof(T));
      stage_out(buffer, 0, count * sizeof(T), piece.begin);
      return look(std::span(static_cast<const T*>(piece.begin), count));
    }
    const std::shared_ptr<const void> values =
        map_bytes(buffer, count * sizeof(T), MapFor::kReading);
    look(std::span(static_cast<const T*>(values.get()), count));
  }
  // Calls fill(span) to write the first `count` values of a buffer, in place on a CPU, and in
  // memory from which a GPU copies at full speed.
  template <typename T, typename Fill>
  void compose(const cl::Buffer& buffer, std::size_t count, Fill&& fill) {
    if (count == 0) return fill(std::span<T>());
    if (is_staged(count * sizeof(T))) {
      const HeldPiece piece(*this, count * sizeof(T));
      fill(std::span(static_cast<T*>(piece.begin), count));
      return stage_in(buffer, 0, count * sizeof(T), piece.begin);
    }
    const std::shared_ptr<void> values = map_bytes(buffer, count * sizeof(T), MapFor::kWriting);
    fill(std::span(static_cast<T*>(values.get()), count));
  }
  // Sets `bytes` bytes from the start to zero.
  void clear(const cl::Buffer& buffer, std::size_t bytes);

  // Queues a kernel whose arguments are set. A launch over nothing does nothing. Global sizes are
  // rounded up to whole work-groups, so kernels check their bounds. Without `local` the driver
  // chooses.
  void launch(const cl::Kernel& kernel, std::string_view label, cl::NDRange global,
              std::optional<cl::NDRange> local = std::nullopt);
  // Calls `enqueue`, which queues launches of another library, and times them as one.
  void launch_foreign(std::string_view label, const std::function<void(cl_command_queue)>& enqueue);
  void finish();

  // Called with a wait for the device, which it must run.
  using AroundWait = std::function<void(const std::function<void()>& wait)>;
  // Sleeps from now on while read() and view() wait for a GPU, and calls `around` for each wait.
  // That takes some 0.1 ms longer than the driver's own waiting, which may occupy a core.
  void wait_asleep(AroundWait around) { around_wait_ = std::move(around); }

  // Return the device time since the last call: of launches by label, and of write, read, view and
  // compose together. Empty unless options.profile.
  std::map<std::string, LaunchTime> drain_profile();
  LaunchTime drain_transfers();

  cl::Context& context() { return shared_->context; }
  cl::CommandQueue& queue() { return queue_; }

 private:
  enum class MapFor { kReading, kWriting };

  // A piece of staging memory that no copy may take while this exists.
  struct HeldPiece {
    HeldPiece(OpenClSession& its_session, std::size_t bytes)
        : session(its_session), begin(session.stage(bytes)) {
      ++session.held_pieces_;
    }
    ~HeldPiece() { --session.held_pieces_; }
    HeldPiece(const HeldPiece&) = delete;
    HeldPiece& operator=(const HeldPiece&) = delete;

    OpenClSession& session;
    void* const begin;
  };

  // What the sessions of a device share.
  struct Shared {
    explicit Shared(const SessionOptions& session_options);
    cl::CommandQueue make_queue() const;

    const SessionOptions options;
    const Device device;
    cl::Context context;
    std::optional<cl::CommandQueue> only_queue;  // set where queues do not overlap
    const ProgramCache cache;
    // Lives as long as the last buffer.
    const std::shared_ptr<std::atomic<std::uint64_t>> allocated_bytes;
    std::mutex allocating;  // from the check of the limit to the allocation
    std::mutex mutex;       // guards what follows; values never change once set
    std::map<std::string, cl::Program> programs;  // by options and source
    bool announced = false;                       // that programs are being built
    std::map<std::string, bool> features;
    std::optional<TuningTarget> tuning_target;
    std::optional<Tuning> tuning;
  };

  explicit OpenClSession(std::shared_ptr<Shared> shared);
  cl::Program build(const std::string& source, const std::string& options);
  void announce_building();
  void write_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes,
                   const void* from);
  void read_bytes(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes, void* to);
  void transfer(const char* where, const std::function<void(cl::Event*)>& copy);
  std::shared_ptr<void> map_bytes(const cl::Buffer& buffer, std::size_t bytes, MapFor use);
  bool is_staged(std::size_t bytes) const;
  void* stage(std::size_t bytes);
  void stage_in(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes, const void* from);
  void stage_out(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes, void* to);
  void add_launch(std::string_view label, cl::Event last, cl::Event before = {});
  void fold_profile();
  bool wait_for_room(std::uint64_t size);

  std::shared_ptr<Shared> shared_;
  cl::CommandQueue queue_;
  // One or several launches: from the end of `before`, or else the start of `last`, to the end of
  // `last`.
  struct Launch {
    std::string label;
    cl::Event last;
    cl::Event before;
  };
  std::vector<Launch> launches_;  // not yet part of launch_times_
  std::map<std::string, LaunchTime> launch_times_;
  LaunchTime transfers_;
  std::vector<cl::Event> copies_;  // to the device, not yet part of transfers_
  std::unique_ptr<StagingMemory> staging_ = std::make_unique<StagingMemory>();
  std::size_t held_pieces_ = 0;  // of staging_
  bool reads_staging_ = false;   // copies to the device may be queued or running
  AroundWait around_wait_;
};

// Device memory that grows as needed.
struct GrowingBuffer {
  cl::Buffer buffer{};
  std::size_t bytes = 0;

  // Grows to at least wanted_bytes, which loses the content. Throws DeviceOutOfMemory.
  void reserve(OpenClSession& session, std::size_t wanted_bytes);

  // Replaces the content. Throws DeviceOutOfMemory.
  template <typename T>
  void fill(OpenClSession& session, std::span<const T> values) {
    reserve(session, values.size_bytes());
    session.write(buffer, values);
  }
};

}  // namespace lookalike
