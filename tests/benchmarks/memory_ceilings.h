#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// The least device time of `run`, from profiling, after one run to warm up.
inline double best_kernel_ms(OpenClSession& session, std::size_t rounds,
                             const std::function<void()>& run) {
  run();
  session.drain_profile();
  double best_ms = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    run();
    double ms = 0;
    for (const auto& [label, time] : session.drain_profile()) ms += time.total_ms;
    if (round == 0 || ms < best_ms) best_ms = ms;
  }
  return best_ms;
}

// What the memory of a device does at best, GB/s: a copy, reading and writing counted, and reading
// alone. The fastest of several plain ways each; on a CPU also with stores that pass the caches.
class MemoryCeilings {
 public:
  MemoryCeilings(OpenClSession& session, std::size_t bytes, std::size_t rounds)
      : session_(session),
        rounds_(rounds),
        bytes_(bytes),
        from_(session.allocate(bytes)),
        to_(session.allocate(bytes)) {
    session_.clear(from_, bytes_);
    session_.clear(to_, bytes_);
    const std::size_t items = bytes_ / 16;
    copy_gbps_ =
        std::max({copy_buffer(), copy("copy_each", items, ""), copy("copy_run", items / kRun, ""),
                  session.is_cpu() ? copy("copy_run", items / kRun, "-DSTREAM") : 0});
    for (const std::size_t groups : {1U, 4U, 16U}) {
      for (const std::size_t local : {64U, 256U}) {
        read_gbps_ = std::max(read_gbps_, read(groups * session.device().compute_units, local));
      }
    }
  }

  double copy_gbps() const { return copy_gbps_; }
  double read_gbps() const { return read_gbps_; }

 private:
  static constexpr std::size_t kRun = 1024;
  static constexpr const char* kSource = R"CL(
kernel void copy_each(global const uint4* from, global uint4* to) {
  to[get_global_id(0)] = from[get_global_id(0)];
}
kernel void copy_run(global const uint16* from, global uint16* to) {
  const ulong first = (ulong)get_global_id(0) * (RUN / 4);
  for (ulong i = first; i < first + RUN / 4; ++i) {
#ifdef STREAM
    __builtin_nontemporal_store(from[i], to + i);
#else
    to[i] = from[i];
#endif
  }
}
kernel void read_all(global const uint4* from, ulong count, global uint* to) {
  uint4 sums[4] = {(uint4)(0), (uint4)(0), (uint4)(0), (uint4)(0)};
  const ulong step = get_global_size(0);
  for (ulong i = get_global_id(0); i < count; i += 4 * step) {
    for (int j = 0; j < 4; ++j) {
      if (i + j * step < count) sums[j] ^= from[i + j * step];
    }
  }
  const uint4 sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 12345) to[0] = 1;
}
kernel void read_runs(global const uint16* from, ulong count, global uint* to) {
  const ulong run = (count / 4 + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * run;
  const ulong end = min(first + run, count / 4);
  uint16 even = (uint16)(0);
  uint16 odd = (uint16)(0);
  for (ulong i = first; i + 1 < end; i += 2) {
    even ^= from[i];
    odd ^= from[i + 1];
  }
  const uint16 sum = even ^ odd;
  if (sum.s0 == 12345 && sum.s7 == 1) to[0] = 1;
}
)CL";

  cl::Kernel build(const char* name, const std::string& options) {
    cl::Program program(session_.context(), kSource);
    program.build((options + " -DRUN=" + std::to_string(kRun)).c_str());
    return {program, name};
  }

  double gbps(double bytes, double ms) const { return bytes / ms * 1e-6; }

  double copy(const char* name, std::size_t items, const std::string& options) {
    cl::Kernel kernel = build(name, options);
    set_arguments(kernel, from_, to_);
    const std::size_t local = session_.is_cpu() && items < bytes_ / 16 ? 1 : 256;
    return gbps(2.0 * static_cast<double>(bytes_), best_kernel_ms(session_, rounds_, [&] {
                  session_.launch(kernel, name, {items}, {{local}});
                }));
  }

  double copy_buffer() {
    double best_ms = 1e9;
    for (std::size_t round = 0; round <= rounds_; ++round) {
      cl::Event event;
      session_.queue().enqueueCopyBuffer(from_, to_, 0, 0, bytes_, nullptr, &event);
      event.wait();
      best_ms = std::min(best_ms,
                         static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                             event.getProfilingInfo<CL_PROFILING_COMMAND_START>()) *
                             1e-6);
    }
    return gbps(2.0 * static_cast<double>(bytes_), best_ms);
  }

  double read(std::size_t groups, std::size_t local) {
    const char* name = session_.is_cpu() ? "read_runs" : "read_all";
    cl::Kernel kernel = build(name, "");
    set_arguments(kernel, from_, static_cast<cl_ulong>(bytes_ / 16), to_);
    const std::size_t items = session_.is_cpu() ? 1 : local;
    return gbps(static_cast<double>(bytes_), best_kernel_ms(session_, rounds_, [&] {
                  session_.launch(kernel, name, {groups * items}, {{items}});
                }));
  }

  OpenClSession& session_;
  std::size_t rounds_;
  std::size_t bytes_;
  cl::Buffer from_;
  cl::Buffer to_;
  double copy_gbps_ = 0;
  double read_gbps_ = 0;
};

}  // namespace lookalike
