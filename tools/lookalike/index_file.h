#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "tools/command_line/command_line.h"

namespace lookalike {

// --database FILE of commands that want an index to be there already.
class IndexFile {
 public:
  explicit IndexFile(CLI::App& command);
  // Throws Error(kInput) when there is no such file, so that a mistyped name makes no new index.
  const std::string& must_exist() const;

 private:
  std::string database_;
};

// The options of commands that list something of an index.
struct ListArguments {
  explicit ListArguments(CLI::App& command);
  IndexFile index;
  bool json = false;
};

// The options of commands that change an index as a whole.
struct UpkeepArguments {
  explicit UpkeepArguments(CLI::App& command) : index(command), talk(command) {}
  IndexFile index;
  TalkArguments talk;
};

}  // namespace lookalike
