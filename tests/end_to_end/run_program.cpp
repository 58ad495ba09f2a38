#include "tests/end_to_end/run_program.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/end_to_end/json_schema.h"
#include "tests/wait_until.h"

namespace lookalike {
namespace {

std::FILE* temporary_file() {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("run_program: no temporary file");
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

bool prints_json(const std::vector<std::string>& arguments) {
  const auto has = [&](const std::string& word) {
    return std::ranges::find(arguments, word) != arguments.end();
  };
  return !has("--help") && (has("--json") || has("json"));
}

}  // namespace

void RunningProgram::CloseFile::operator()(std::FILE* file) const {
  std::fclose(file);
}

RunningProgram::RunningProgram(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::vector<std::string>& settings)
    : out_(temporary_file()), err_(temporary_file()) {
  const std::string path = std::filesystem::path(LOOKALIKE_PROGRAMS) / program;
  // execv takes pointers to characters that it does not change.
  std::vector<char*> pointers = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("run_program: fork");
  if (process_ == 0) {
    ::dup2(::fileno(out_.get()), STDOUT_FILENO);
    ::dup2(::fileno(err_.get()), STDERR_FILENO);
    // putenv() takes pointers to characters that it may change, and keeps them.
    for (const std::string& setting : settings) ::putenv(const_cast<char*>(setting.c_str()));
    ::execv(path.c_str(), pointers.data());
    ::_exit(127);
  }
}

RunningProgram::~RunningProgram() {
  if (status_) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool RunningProgram::is_running() {
  int status = 0;
  if (!status_ && ::waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  return !status_;
}

void RunningProgram::send(int signal) {
  if (is_running()) ::kill(process_, signal);
}

bool RunningProgram::wait_for_output() {
  const auto has_output = [&] {
    struct stat file {};
    return ::fstat(::fileno(out_.get()), &file) == 0 && file.st_size > 0;
  };
  wait_until([&] { return has_output() || !is_running(); });
  return has_output();
}

std::string RunningProgram::err_so_far() const {
  // Program and test share the file's position, which must stay.
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  const int file = ::fileno(err_.get());
  while ((count = ::pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

ProgramResult RunningProgram::wait() {
  int status = 0;
  if (!status_) {
    if (::waitpid(process_, &status, 0) != process_) {
      throw std::runtime_error("run_program: waitpid");
    }
    status_ = status;
  }
  const int code = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
  return {code, content(out_.get()), content(err_.get())};
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& settings) {
  ProgramResult result = RunningProgram(program, arguments, settings).wait();
  if (program == "lookalike" && prints_json(arguments)) {
    EXPECT_THAT(output_faults(arguments.front(), result.out), testing::IsEmpty());
  }
  return result;
}

std::string install_with(const std::filesystem::path& folder, const std::string& helper,
                         const std::string& script) {
  namespace fs = std::filesystem;
  const fs::path programs(LOOKALIKE_PROGRAMS);
  fs::create_directories(folder / "bin");
  fs::copy_file(programs / "lookalike", folder / "bin/lookalike");
  for (const auto& modules : fs::directory_iterator(programs.parent_path() / "lib")) {
    if (!modules.path().filename().native().starts_with("lookalike-")) continue;
    const fs::path to = folder / "lib" / modules.path().filename();
    const fs::path replaced = to / helper;
    fs::create_directories(to);
    for (const auto& file : fs::directory_iterator(modules)) {
      if (file.path().filename() != helper) {
        fs::create_symlink(file, to / file.path().filename());
      }
    }
    std::ofstream(replaced) << "#!/bin/sh\n" << script << '\n';
    if (!script.empty()) fs::permissions(replaced, fs::perms::owner_all);
  }
  return folder / "bin/lookalike";
}

std::set<std::string> commands_of(const std::string& program) {
  std::istringstream names(run_program(program, {"--generate", "commands"}).out);
  return {std::istream_iterator<std::string>(names), {}};
}

}  // namespace lookalike
