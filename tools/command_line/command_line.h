#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/progress.h"
#include "config/fields.h"
#include "config/options.h"

// What the command lines of all programs have in common.
namespace lookalike {

// Parses the command line. False after --help or --version, which are printed to stdout: the
// program is done. A word that is a file: URI stands for its path. Throws Error(kUsage) that says
// what is wrong and where help is.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

// --config FILE, --set TABLE.KEY=VALUE, and options that stand for keys of the configuration: their
// help texts and what they allow come from the keys' descriptions. Must outlive the parsing.
class ConfigArguments {
 public:
  explicit ConfigArguments(CLI::App& command);

  // Adds an option for a key: add("--octaves", "extract.octaves"). A true-or-false key becomes a
  // flag that makes it true; a list takes any number of values.
  CLI::Option* add(const std::string& option, std::string_view field);

  // The file's configuration, or the defaults without one, overridden by the options given, and
  // these by what --set gives.
  // Folders and files that options name are made absolute. Throws Error(kUsage).
  RunConfig load() const;
  bool has_file() const { return !file_.empty(); }
  const std::string& file() const { return file_; }  // of --config; empty without it

 private:
  struct Argument {
    std::string option;
    const ConfigField* field = nullptr;
    bool flag = false;
    std::vector<std::string> values{};
  };
  void override_field(RunConfig& config, const Argument& argument) const;

  CLI::App& command_;
  std::string file_;
  std::vector<std::string> settings_;  // "table.key=value"
  std::deque<Argument> arguments_;     // whose items stay where they are
};

// --quiet and --verbose.
class TalkArguments {
 public:
  explicit TalkArguments(CLI::App& command);
  // Sets up logging and says how to show progress.
  Progress::Style apply() const;

 private:
  bool quiet_ = false;
  bool verbose_ = false;
};

}  // namespace lookalike
