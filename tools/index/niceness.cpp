#include "tools/index/niceness.h"

#include <cerrno>
#include <sys/resource.h>
#include <system_error>

#include <fmt/format.h>

#include "pipeline/log.h"

namespace lookalike {

std::optional<std::string> be_nice(const RunOptions& options) {
  if (options.niceness == 0) return std::nullopt;
  if (::setpriority(PRIO_PROCESS, 0, static_cast<int>(options.niceness)) == 0) return std::nullopt;
  const std::string cause = std::generic_category().message(errno);
  std::string warning = fmt::format("run.niceness: stays {}, {} was asked for: {}",
                                    ::getpriority(PRIO_PROCESS, 0), options.niceness, cause);
  spdlog::warn(warning);
  return warning;
}

}  // namespace lookalike
