#pragma once

#include <csignal>
#include <string>

namespace lookalike {

// Holds SIGINT and SIGTERM back while it lives, so that a long run can bring what it is at to a
// good end. Make it before any thread, since threads inherit which signals are held back. Once one
// has been received, another one ends the program at once, as without us.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that has come, 0 while none has. Never waits. Ask on the thread that made this.
  int received();

 private:
  sigset_t held_{};
  sigset_t before_{};
  int received_ = 0;
};

// The exit code of a program that a signal ended is this plus the signal's number.
inline constexpr int kExitSignalled = 128;

// "SIGINT" or "SIGTERM".
std::string signal_name(int signal);

}  // namespace lookalike
