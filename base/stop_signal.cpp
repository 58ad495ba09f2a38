#include "base/stop_signal.h"

#include <ctime>

namespace lookalike {

StopSignal::StopSignal() {
  ::sigemptyset(&held_);
  ::sigaddset(&held_, SIGINT);
  ::sigaddset(&held_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

StopSignal::~StopSignal() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignal::received() {
  if (received_ != 0) return received_;
  const timespec at_once{};
  const int signal = ::sigtimedwait(&held_, nullptr, &at_once);
  if (signal <= 0) return 0;
  received_ = signal;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  return received_;
}

std::string signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace lookalike
