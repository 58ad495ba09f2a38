#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

// What every program does: logging, errors to exit codes, orderly stops.
namespace lookalike {

// The logger of code that the library shares with the programs: the one that was assigned last, at
// first spdlog's default one. Not in spdlog's registry, which belongs to the library's host. Assign
// before other threads log.
std::shared_ptr<spdlog::logger>& logger();

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Sends logger(), and spdlog's default one, to stderr, coloured as use_colour() says: warnings and
// errors when quiet, else spdlog::info too, and spdlog::debug when verbose.
void set_up_logging(Verbosity verbosity);

// Runs the body of a main and returns the exit code of the process: the body's own, or after
// "<program>: error: <message>" on stderr that of the Error's kind, 4 when memory ran out, and 70
// for any other exception.
int run_main(std::string_view program, const std::function<int()>& body) noexcept;

// Gives the memory that was freed back to the system, as far as the C library can. A phase that
// ends leaves memory in arenas from which the threads of the next one may not take it.
void return_freed_memory();

// Whether run_main() was called, so that what belongs to the whole process is ours: std::cerr and
// the log level of OpenCV. In the library, they are the host's.
bool is_own_process();

// Handles SIGINT and SIGTERM on any thread, so that a long run can end in order. A second signal,
// or one still unread at destruction, ends the program. At most one instance.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal received so far, or 0. Never waits.
  int received();

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  bool asked_ = false;  // since a signal was received
};

// "SIGINT" or "SIGTERM".
std::string signal_name(int signal);

}  // namespace lookalike
