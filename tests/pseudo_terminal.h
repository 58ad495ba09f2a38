#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace lookalike {

// A terminal of some columns, whose screen can be read.
class Terminal {
 public:
  explicit Terminal(std::uint16_t columns) : screen_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (screen_ < 0 || ::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0) {
      throw std::runtime_error("Terminal: no pseudo-terminal");
    }
    const int line = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
    termios raw{};
    ::tcgetattr(line, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(line, TCSANOW, &raw);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(line, TIOCSWINSZ, &size);
    ::fcntl(screen_, F_SETFL, O_NONBLOCK);
    out_ = ::fdopen(line, "w");
  }
  ~Terminal() {
    std::fclose(out_);
    ::close(screen_);
  }
  std::FILE* out() { return out_; }
  // What was written since the last call. It may arrive in pieces.
  std::string written() {
    constexpr int kWaitMs = 100;
    std::fflush(out_);
    std::string text;
    pollfd screen{.fd = screen_, .events = POLLIN, .revents = 0};
    while (::poll(&screen, 1, kWaitMs) > 0) {
      char piece[4096];
      const ssize_t bytes = ::read(screen_, piece, sizeof piece);
      if (bytes <= 0) break;
      text.append(piece, static_cast<std::size_t>(bytes));
    }
    return text;
  }

 private:
  int screen_;
  std::FILE* out_ = nullptr;
};

}  // namespace lookalike
