#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace lookalike {

void set_up_logging(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>(
      "lookalike", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%^%l%$: %v");
  switch (verbosity) {
    case Verbosity::kQuiet:
      logger->set_level(spdlog::level::warn);
      break;
    case Verbosity::kNormal:
      logger->set_level(spdlog::level::info);
      break;
    case Verbosity::kVerbose:
      logger->set_level(spdlog::level::debug);
      break;
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace lookalike
