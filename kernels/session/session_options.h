#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace lookalike {

struct SessionOptions {
  std::string device{};                   // see choose_device; empty: first GPU, then CPU
  std::filesystem::path program_cache{};  // folder for compiled programs; empty: none
  std::filesystem::path tuning_folder{};  // of the user's own measurements; empty: none
  std::uint64_t memory_limit_bytes = 0;   // of device memory; 0: the device's own
  bool profile = false;                   // time every launch
  bool finish_each_launch = false;        // for debugging: names the launch that failed
  // Told, in a line, of what was left aside without harm; empty: nobody.
  std::function<void(const std::string&)> warn{};
};

}  // namespace lookalike
