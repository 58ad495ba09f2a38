#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lookalike {

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal's number when one ended it
  std::string out;
  std::string err;
};

// A running program: one of the tree ("lookalike", "lookalike-extract"), or any by its path. No
// shell interprets the arguments. Settings are added to the environment, as "NAME=value".
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& settings = {});
  ~RunningProgram();  // kills it unless wait() was called
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool is_running();
  void send(int signal);  // nothing once it has ended
  // Waits until something is on its stdout, at most 60 s; false if it ends without output.
  bool wait_for_output();
  std::string err_so_far() const;
  ProgramResult wait();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const;
  };
  // Files rather than pipes, so that no amount of output blocks the program.
  using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

  TemporaryFile out_;
  TemporaryFile err_;
  pid_t process_ = -1;
  std::optional<int> status_;  // once it has ended
};

// Runs a program and waits for it. JSON printed by `lookalike COMMAND` must match the command's
// schema in docs/schema/; a deviation fails the test.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& settings = {});

// Installs the tree's `lookalike` below a folder with a shell script as one of its helper programs,
// such as lookalike-reader, which may not be executed if the script is empty. Returns the path of
// `lookalike`.
std::string install_with(const std::filesystem::path& folder, const std::string& helper,
                         const std::string& script);

// Returns the commands of a program, if it has any.
std::set<std::string> commands_of(const std::string& program);

}  // namespace lookalike
