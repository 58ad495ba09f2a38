#include "pipeline/device/open_session.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/files.h"
#include "base/program.h"
#include "pipeline/device/device_test.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOurs = "lookalike";

fs::path folder_in_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

// Returns the user's cache folder; empty without one.
fs::path user_cache() {
  fs::path cache = folder_in_environment("XDG_CACHE_HOME");
  // The XDG specification: ignore relative paths.
  if (cache.is_absolute()) return cache;
  const fs::path home = folder_in_environment("HOME");
  return home.is_absolute() ? home / ".cache" : fs::path();
}

// Creates the folder if it is missing.
bool can_be_written(const fs::path& folder) {
  create_own_folders(folder);
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

// Returns a folder that nobody else can enter, made if it is missing; empty if the name is taken.
fs::path private_cache() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error) / fmt::format("{}-{}", kOurs, ::geteuid());
  if (error) return {};
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat status {};
  const bool is_private = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                          status.st_uid == ::geteuid() &&
                          (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_private ? folder : fs::path();
}

fs::path program_cache_folder() {
  const fs::path user = user_cache();
  if (!user.empty() && can_be_written(user / kOurs)) return user / kOurs;
  const fs::path other = private_cache();
  return other.empty() ? other : other / kOurs;
}

}  // namespace

void give_pocl_a_cache() {
  if (std::getenv("POCL_CACHE_DIR") != nullptr) return;
  const fs::path user = user_cache();
  if (!user.empty() && can_be_written(user / kOurs)) return;
  const fs::path other = private_cache();
  if (other.empty()) return;
  ::setenv("POCL_CACHE_DIR", (other / "pocl").c_str(), 1);
  logger()->info("{}: cannot be written; compiled kernels are kept in {}",
                 user.empty() ? "HOME" : user.native(), other.native());
}

fs::path own_cache_folder(const std::string& name) {
  const fs::path folder = program_cache_folder();
  return folder.empty() ? folder : folder / name;
}

std::string driver_ended_text() {
  return fmt::format(
      "the compiler of an OpenCL driver ends a program when it cannot write its files: is there "
      "room in {}, where PoCL keeps compiled kernels, and in the folder for temporary files?",
      pocl_cache_folder().native());
}

SessionOptions session_options(const DeviceOptions& device) {
  SessionOptions options;
  options.device = device.choice;
  options.program_cache = program_cache_folder();
  if (!options.program_cache.empty()) options.tuning_folder = options.program_cache / "tuning";
  options.object = objection_to;
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
