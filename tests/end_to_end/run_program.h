#pragma once

#include <cstdio>
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

// One of our programs ("lookalike", "lookalike-extract"), or any by its path, started. Arguments
// are handed over as they are: no shell is involved. Settings are added to the environment, as
// "NAME=value".
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& settings = {});
  ~RunningProgram();  // kills it where nobody has waited for it
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool is_running();
  void send(int signal);  // nothing once it has ended
  ProgramResult wait();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const;
  };
  // Files rather than pipes: however much a program prints, it never waits for us.
  using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

  TemporaryFile out_;
  TemporaryFile err_;
  pid_t process_ = -1;
  std::optional<int> status_;  // once it has ended
};

// Runs a program and waits for it. What `lookalike COMMAND` prints as JSON is held to the command's
// schema in docs/schema/: a deviation is a failure of the test.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& settings = {});

// The commands that the --help of a program lists; none for a program without.
std::set<std::string> commands_of(const std::string& program);

}  // namespace lookalike
