#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/tuning/tuning_file.h"

namespace lookalike {

// What the work of a kernel is counted in, and with it the ceiling that it is held against.
enum class WorkUnit {
  kOperations,   // float32 additions and multiplications, against multiply-adds
  kCopiedBytes,  // the least that must be read and written, against copying
  kReadBytes,    // the least that must be read, against reading
  kPixels,       // of the images gone through; against nothing
};

// A problem of fixed sizes that a kernel solves, on random data.
struct Workload {
  std::string kernel;        // as tuning files name it
  TuningSizes sizes{};       // by which kAuto chooses
  TuningSizes more_sizes{};  // by which it does not
  WorkUnit unit = WorkUnit::kOperations;
  double amount = 0;                    // of work in one run, in that unit
  std::vector<std::string> variants{};  // that the device can run, the best guess first
  // Makes a variant ready to run. Each call of the result solves the problem once, from host
  // memory to host memory; the session and the result of this must outlive it.
  std::function<std::function<void()>(const std::string& variant)> prepare{};

  TuningSizes all_sizes() const;
};

// The variant that kAuto takes on this session's device.
std::string chosen_variant(OpenClSession& session, const Workload& workload);

enum class WorkloadScale {
  kQuick,   // tiny: the machinery is tested in seconds
  kTuning,  // what `lookalike tune` measures, in under a minute
  kFull,    // what `lookalike bench` reports
};

// The workloads of every kernel of the family, kernel by kernel, small sizes before large ones.
// Sizes depend on the kind of the device. The session must outlive them.
std::vector<Workload> all_workloads(OpenClSession& session, WorkloadScale scale);

// Those of each kernel, in the same order.
std::vector<Workload> assign_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> histogram_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> transpose_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> variance_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> convolution_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> integral_image_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> correlation_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> pose_search_workloads(OpenClSession& session, WorkloadScale scale);
std::vector<Workload> surf_workloads(OpenClSession& session, WorkloadScale scale);

}  // namespace lookalike
