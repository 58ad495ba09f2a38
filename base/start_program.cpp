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

struct FileActions {
  FileActions() { ::posix_spawn_file_actions_init(&actions); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  posix_spawn_file_actions_t actions{};
};

struct Attributes {
  Attributes() { ::posix_spawnattr_init(&attributes); }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  posix_spawnattr_t attributes{};
};

// Returns this program's environment with these variables in place of those of their names.
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
  FileActions files;
  for (int i = 0; i < static_cast<int>(descriptors.size()); ++i) {
    const int given = descriptors[static_cast<std::size_t>(i)];
    if (given == kNowhere) {
      ::posix_spawn_file_actions_addopen(&files.actions, i, "/dev/null", O_RDWR, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&files.actions, given, i);
    }
  }
  ::posix_spawn_file_actions_addclosefrom_np(&files.actions, static_cast<int>(descriptors.size()));
  Attributes how;
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&how.attributes, &none);
  ::posix_spawnattr_setpgroup(&how.attributes, 0);
  ::posix_spawnattr_setflags(&how.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> environment = environment_with(std::move(settings));
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, words.front().c_str(), &files.actions, &how.attributes,
                                   pointers_to(words).data(), pointers_to(environment).data());
  if (error == 0) return process;
  errno = error;
  return std::nullopt;
}

}  // namespace lookalike
