#include "tools/benchmark/program_output.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/error.h"
#include "storage/atomic_file.h"

namespace lookalike {
namespace {

[[noreturn]] void fail(const std::string& program, const std::string& what) {
  throw Error(ErrorKind::kInput, program + ": " + what);
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

// Starts the program with `out` as its stdout.
pid_t start(const std::vector<std::string>& command, int out) {
  std::vector<char*> arguments;  // which posix_spawn does not change
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t process = 0;
  const int error = ::posix_spawn(&process, command.front().c_str(), &actions, nullptr,
                                  arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(command.front(), "cannot be started, " + reason(error));
  return process;
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string program_output(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(command.front(), "no pipe, " + reason(errno));
  const FileDescriptor out(ends[0]);
  FileDescriptor in(ends[1]);
  const pid_t process = start(command, in.number());
  in = FileDescriptor();  // so that the end of what the program writes is seen
  std::string text = read_all(out.number());
  const int code = wait_for(process);
  if (code != 0) fail(command.front(), "ended with " + std::to_string(code));
  return text;
}

}  // namespace lookalike
