#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "kernels/benchmark/benchmark.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr int kRuns = 5;
constexpr std::size_t kChains = 8;  // of multiply_add
constexpr std::size_t kReads = 64;  // vectors that a work-item of read_all takes

// Division of the kernels among the work-items of a device.
struct Shape {
  std::size_t vector;       // floats
  std::size_t group;        // work-items
  std::size_t block;        // vectors that a work-item of copy takes
  std::size_t chain_items;  // work-items of multiply_add
  int rounds;

  std::string options() const {
    const std::string type = vector == 1 ? "float" : "float" + std::to_string(vector);
    return "-cl-mad-enable" + define("VECTOR", type) + define("BLOCK", block) +
           define("READS", kReads);
  }
};

// Returns one vector register per chain for CPUs, and enough work-items to fill a GPU many times
// over.
Shape shape_for(OpenClSession& session, bool arithmetic) {
  if (!session.is_cpu()) return {arithmetic ? 1U : 4U, 256, 1, std::size_t{1} << 20U, 1024};
  const std::string& instructions = session.tuning_target().instructions;
  const std::size_t floats = instructions == "avx512" ? 16 : instructions == "avx2" ? 8 : 4;
  return {floats, 1, 1024, 64, 100'000};
}

// Returns the least of several runs after one that warms up.
double least_ms(const std::function<double()>& time_run) {
  time_run();
  double least = time_run();
  for (int run = 1; run < kRuns; ++run) least = std::min(least, time_run());
  return least;
}

double kernel_ms(OpenClSession& session, const cl::Kernel& kernel, std::size_t items,
                 std::size_t group) {
  return least_ms([&] {
    session.drain_profile();
    session.launch(kernel, "ceiling", {items}, cl::NDRange{group});
    return session.drain_profile().at("ceiling").total_ms;
  });
}

double copy_buffer_ms(OpenClSession& session, const cl::Buffer& from, const cl::Buffer& to,
                      std::size_t bytes) {
  return least_ms([&] {
    cl::Event event;
    session.queue().enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &event);
    event.wait();
    return static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                               event.getProfilingInfo<CL_PROFILING_COMMAND_START>()) *
           1e-6;
  });
}

double measure_gflops(OpenClSession& session) {
  const Shape shape = shape_for(session, true);
  cl::Kernel kernel = session.kernel({"benchmark/ceilings.cl"}, "multiply_add", shape.options());
  const cl::Buffer sums = session.allocate(shape.chain_items * shape.vector * sizeof(float));
  set_arguments(kernel, sums, cl_float{0.999F}, cl_float{0.001F}, cl_int{shape.rounds});
  const double ms = kernel_ms(session, kernel, shape.chain_items, shape.group);
  const double operations = 2.0 * static_cast<double>(shape.chain_items * kChains * shape.vector) *
                            static_cast<double>(shape.rounds);
  return operations / ms * 1e-6;
}

// Measures reading, and copying as the best of the kernels and the driver's copy.
void measure_memory(OpenClSession& session, std::size_t bytes, Ceilings& ceilings) {
  const Shape shape = shape_for(session, false);
  const std::uint64_t room =
      std::min(session.device().max_allocation_bytes, session.device().global_memory_bytes / 8);
  while (bytes > room) bytes /= 2;
  const std::size_t vectors = bytes / (shape.vector * sizeof(float));
  const cl::Buffer from = session.allocate(bytes);
  const cl::Buffer to = session.allocate(bytes);
  session.clear(from, bytes);
  session.clear(to, bytes);
  double copy_ms = copy_buffer_ms(session, from, to, bytes);
  for (const char* stores : {"", " -DSTREAM"}) {
    if (*stores != 0 && !session.is_cpu()) continue;
    cl::Kernel copy = session.kernel({"benchmark/ceilings.cl"}, "copy", shape.options() + stores);
    set_arguments(copy, from, to);
    copy_ms = std::min(copy_ms, kernel_ms(session, copy, vectors / shape.block, shape.group));
  }
  cl::Kernel read = session.kernel({"benchmark/ceilings.cl"}, "read_all", shape.options());
  set_arguments(read, from, to);
  const double read_ms = kernel_ms(session, read, vectors / kReads, shape.group);
  ceilings.copy_gbs = 2 * static_cast<double>(bytes) / copy_ms * 1e-6;
  ceilings.read_gbs = static_cast<double>(bytes) / read_ms * 1e-6;
}

}  // namespace

Ceilings measure_ceilings(OpenClSession& session, std::size_t bytes) {
  Ceilings ceilings;
  ceilings.multiply_add_gflops = measure_gflops(session);
  measure_memory(session, bytes, ceilings);
  return ceilings;
}

}  // namespace lookalike
