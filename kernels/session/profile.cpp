#include "kernels/session/profile.h"

#include <utility>

namespace lookalike {
namespace {

constexpr std::size_t kMaxEvents = 1024;

// Of a command that has ended.
double elapsed_ms(const cl::Event& event) {
  const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
  const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return static_cast<double>(end - start) * 1e-6;
}

// Between the ends of two commands.
double elapsed_ms(const cl::Event& first, const cl::Event& last) {
  const auto start = first.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  const auto end = last.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return static_cast<double>(end - start) * 1e-6;
}

}  // namespace

void Profile::add_launch(std::string label, cl::Event last, cl::Event before) {
  launches_.push_back({std::move(label), std::move(last), std::move(before)});
}

void Profile::add_transfer(const cl::Event& copy) {
  ++transfers_.launches;
  transfers_.total_ms += elapsed_ms(copy);
}

bool Profile::is_full() const {
  return launches_.size() >= kMaxEvents;
}

void Profile::fold() {
  for (const auto& [label, last, before] : std::exchange(launches_, {})) {
    LaunchTime& time = times_[label];
    ++time.launches;
    time.total_ms += before() == nullptr ? elapsed_ms(last) : elapsed_ms(before, last);
  }
}

std::map<std::string, LaunchTime> Profile::drain_launches() {
  fold();
  return std::exchange(times_, {});
}

LaunchTime Profile::drain_transfers() {
  return std::exchange(transfers_, {});
}

}  // namespace lookalike
