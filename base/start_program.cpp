#include "base/start_program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace lookalike {
namespace {

// Returns the settings, and the variables of this process with other names.
std::vector<std::string> environment_with(std::vector<std::string> settings) {
  const std::size_t replaced = settings.size();
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool is_set =
        std::any_of(settings.begin(), settings.begin() + static_cast<std::ptrdiff_t>(replaced),
                    [&](const std::string& setting) { return setting.starts_with(name); });
    if (!is_set) settings.emplace_back(variable);
  }
  return settings;
}

// Returns the texts as execve() takes them; they must outlive the result.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::optional<pid_t> start_program(std::vector<std::string> words, std::span<const int> descriptors,
                                   std::vector<std::string> settings) {
  std::vector<std::string> environment = environment_with(std::move(settings));
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> variables = pointers_to(environment);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  int next = 0;
  for (const int descriptor : descriptors) {
    if (descriptor == kNowhere) {
      ::posix_spawn_file_actions_addopen(&files, next++, "/dev/null", O_RDWR, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&files, descriptor, next++);
    }
  }
  ::posix_spawn_file_actions_addclosefrom_np(&files, next);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, words.front().c_str(), &files, &attributes,
                                   arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error == 0) return process;
  errno = error;
  return std::nullopt;
}

}  // namespace lookalike
