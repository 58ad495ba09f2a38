#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

// The frame of every program: logging, exit codes, orderly stops.
namespace lookalike {

// The logger of code shared by programs and library: spdlog's default one until another is
// assigned, before other threads log. Not in spdlog's registry, which belongs to the host of the
// library.
std::shared_ptr<spdlog::logger>& logger();

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Sends logger() and spdlog's default logger to stderr, coloured by use_colour(). Quiet: warnings
// and errors; normal: spdlog::info as well; verbose: spdlog::debug as well.
void set_up_logging(Verbosity verbosity);

// Logs a line as spdlog::info does, also when quiet. Not thread-safe.
void log_result(const std::string& line);

// Runs the body of main() and returns the exit code: the body's own, or, after "<program>: error:
// <message>" on stderr, the code of an Error, 4 for std::bad_alloc, 70 for any other exception.
int run_main(std::string_view program, const std::function<int()>& body) noexcept;

// What to do before a program ends because a library called exit() within the body of run_main(),
// as LLVM does when it cannot write its files. The program then ends with code 4, whatever the
// library's was: 1 would mean that it has done its work. Until destroyed, takes the place of the
// instance before it. The words must not throw, nor wait for other threads.
class LastWords {
 public:
  explicit LastWords(std::function<void()> words);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  std::function<void()> before_;
};

// Returns freed memory to the system, as far as the C library can. Call it between phases, whose
// threads allocate from different arenas.
void return_freed_memory();

// True if run_main() was called. Only then may std::cerr and OpenCV's log level be changed; in the
// library they belong to the host.
bool is_own_process();

// Catches SIGINT and SIGTERM on any thread, so that a long run can end in order. A second signal,
// or one still unread at destruction, ends the program. At most one instance.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Returns the first signal received, or 0.
  int received();

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  bool is_read_ = false;  // received() has returned the signal
};

// "SIGINT" or "SIGTERM".
std::string signal_name(int signal);

}  // namespace lookalike
