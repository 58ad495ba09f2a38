#include "tools/serve/access_log.h"

#include <cstdio>
#include <ctime>
#include <exception>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxPathBytes = 200;
constexpr std::size_t kMaxWarnings = 10;  // a minute

std::string logged_text(const std::string& text) {
  if (text.empty()) return "-";
  std::string shown = printable(text.substr(0, kMaxPathBytes));
  for (char& c : shown) {
    if (c == ' ') c = '+';  // fields are separated by blanks
  }
  return shown;
}

}  // namespace

void log_access(const HttpRequest& request, int status, double seconds) noexcept {
  try {
    const std::string line =
        fmt::format("access: {:%Y-%m-%dT%H:%M:%SZ} {} {} {} {} {:.1f} ms\n",
                    fmt::gmtime(std::time(nullptr)), logged_text(request.peer),
                    logged_text(request.method), logged_text(request.path), status, 1000 * seconds);
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (const std::exception&) {
    // Out of memory: the request matters more than its line.
  }
}

void RefusedTokens::add(const std::string& peer) {
  if (const auto warning = add(peer, Clock::now())) spdlog::warn("{}", *warning);
}

std::optional<std::string> RefusedTokens::add(const std::string& peer, Clock::time_point now) {
  if (warnings_ == 0 || now - minute_ >= std::chrono::minutes(1)) {
    minute_ = now;
    warnings_ = 0;
  }
  if (warnings_ == kMaxWarnings) {
    ++left_out_;
    return std::nullopt;
  }
  ++warnings_;
  std::string warning = fmt::format("wrong token from {}", logged_text(peer));
  if (left_out_ > 0) warning += fmt::format("; {} more were not logged", left_out_);
  left_out_ = 0;
  return warning;
}

}  // namespace lookalike
