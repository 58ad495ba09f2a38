#include "base/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lookalike {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::size_t terminal_columns(std::FILE* stream) {
  constexpr std::size_t kUsual = 80;
  const int file = ::fileno(stream);
  if (::isatty(file) != 1) return 0;
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

bool use_colour(std::FILE* stream) {
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return ::isatty(::fileno(stream)) == 1 && environment("TERM") != "dumb";
}

}  // namespace lookalike
