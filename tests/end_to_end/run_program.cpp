#include "tests/end_to_end/run_program.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace lookalike {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// A file rather than a pipe: however much a program prints, it never waits for us.
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) throw std::runtime_error("run_program: no temporary file");
  return file;
}

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, count);
  }
  return text;
}

int wait_for(pid_t process) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process) throw std::runtime_error("run_program: waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& settings) {
  const std::string path = LOOKALIKE_PROGRAMS "/" + program;
  // execv takes pointers to characters that it does not change.
  std::vector<char*> pointers = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  const TemporaryFile out = temporary_file();
  const TemporaryFile err = temporary_file();
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("run_program: fork");
  if (process == 0) {
    ::dup2(::fileno(out.get()), STDOUT_FILENO);
    ::dup2(::fileno(err.get()), STDERR_FILENO);
    // putenv() takes pointers to characters that it may change, and keeps them.
    for (const std::string& setting : settings) ::putenv(const_cast<char*>(setting.c_str()));
    ::execv(path.c_str(), pointers.data());
    ::_exit(127);
  }
  const int code = wait_for(process);
  return {code, content(out.get()), content(err.get())};
}

}  // namespace lookalike
