#include "pipeline/index/niceness.h"

#include <cerrno>
#include <sys/resource.h>
#include <system_error>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace lookalike {

std::optional<std::string> be_nice(const RunOptions& options) {
  if (options.niceness == 0) return std::nullopt;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  const int wanted = static_cast<int>(options.niceness);
  const bool lower = wanted < now;  // root may
  if (!lower && ::setpriority(PRIO_PROCESS, 0, wanted) == 0) return std::nullopt;
  const std::string cause = lower ? "it is never lowered" : std::generic_category().message(errno);
  std::string warning =
      fmt::format("run.niceness: stays {}, {} was asked for: {}", now, wanted, cause);
  spdlog::warn(warning);
  return warning;
}

}  // namespace lookalike
