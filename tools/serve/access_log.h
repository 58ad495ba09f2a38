#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "tools/serve/http_server.h"

// What a server logs of its clients, without tokens and parameters.
namespace lookalike {

// Writes a line to stderr: time (UTC), address, method, path, status and milliseconds, "-" for what
// is unknown.
void log_access(const HttpRequest& request, int status, double seconds) noexcept;

// Warns of clients that send a wrong token, at most ten times a minute; the first warning after
// that says how many were left out. Not thread-safe.
class RefusedTokens {
 public:
  using Clock = std::chrono::steady_clock;

  void add(const std::string& peer);
  // As add() at a given time: returns the warning, if there is one.
  std::optional<std::string> add(const std::string& peer, Clock::time_point now);

 private:
  Clock::time_point minute_{};  // when the present one began
  std::size_t warnings_ = 0;    // in it
  std::size_t left_out_ = 0;
};

}  // namespace lookalike
