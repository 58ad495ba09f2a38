#include "pipeline/open_session.h"

#include <cstdlib>
#include <filesystem>

#include <spdlog/spdlog.h>

#include "base/program.h"

namespace lookalike {
namespace {

std::filesystem::path folder_in_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::filesystem::path program_cache_folder() {
  const std::filesystem::path cache = folder_in_environment("XDG_CACHE_HOME");
  // The XDG specification: ignore relative paths.
  if (cache.is_absolute()) return cache / "lookalike";
  const std::filesystem::path home = folder_in_environment("HOME");
  return home.is_absolute() ? home / ".cache" / "lookalike" : std::filesystem::path();
}

}  // namespace

SessionOptions session_options(const DeviceOptions& device) {
  SessionOptions options;
  options.device = device.choice;
  options.program_cache = program_cache_folder();
  if (!options.program_cache.empty()) options.tuning_folder = options.program_cache / "tuning";
  options.warn = [](const std::string& line) { logger()->warn("{}", line); };
  options.inform = [](const std::string& line) { logger()->info("{}", line); };
  options.memory_limit_bytes = std::uint64_t{device.memory_limit_mib} << 20;
  return options;
}

SessionOptions query_session_options(const DeviceOptions& device) {
  SessionOptions options = session_options(device);
  options.answer_soon = true;
  return options;
}

}  // namespace lookalike
