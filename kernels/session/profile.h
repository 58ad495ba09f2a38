#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/session/opencl.h"

namespace lookalike {

// Device time spent under one label, from profiling events.
struct LaunchTime {
  std::size_t launches = 0;
  double total_ms = 0;
};

// Device time of launches, by label, and of copies, from the events of a queue that takes their
// times. Members throw cl::Error.
class Profile {
 public:
  // One or several launches: from the end of `before`, or else the start of `last`, to its end.
  void add_launch(std::string label, cl::Event last, cl::Event before = {});
  // A copy that has ended.
  void add_transfer(const cl::Event& copy);

  // Whether so many events are held that they should be folded into times.
  bool is_full() const;
  // Their commands must have ended.
  void fold();

  // What was added since the last call; all commands must have ended.
  std::map<std::string, LaunchTime> drain_launches();
  LaunchTime drain_transfers();

 private:
  struct Launch {
    std::string label;
    cl::Event last;
    cl::Event before;
  };

  std::vector<Launch> launches_;
  std::map<std::string, LaunchTime> times_;
  LaunchTime transfers_;
};

}  // namespace lookalike
