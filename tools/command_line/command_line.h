#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/progress.h"
#include "config/fields.h"
#include "config/options.h"
#include "pipeline/named.h"
#include "storage/index_reader.h"
#include "storage/output_file.h"

// What the command lines of all programs have in common.
namespace lookalike {

// Parses the command line. Returns false if it asked for --help, --version or a file that the build
// generates (see manual.h), which is then on stdout: the program is done. Help is wrapped to 80
// columns. A word that is a file: URI stands for its path. Throws Error(kUsage) that names the
// fault, the nearest option for an unknown one, and the command's --help.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

// Adds an option, or an argument without dashes, with the placeholder of its value, if it has one:
// "--report FILE.html".
template <typename Value>
CLI::Option* add_value(CLI::App& command, const std::string& name, Value& value,
                       const std::string& meaning) {
  const std::size_t space = name.find(' ');
  return command.add_option(name.substr(0, space), value, meaning)
      ->type_name(space == name.npos ? "" : name.substr(space + 1));
}

// The same for a number from `lowest` to `highest`; --help shows its present value as the default.
template <typename Number, typename Limit>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, Limit lowest,
                        Limit highest, const std::string& meaning) {
  return add_value(command, name, value, meaning)
      ->check(CLI::Range(lowest, highest).description(""))
      ->capture_default_str();
}

// The same for a list, where each use adds one value.
inline CLI::Option* add_each(CLI::App& command, const std::string& name,
                             std::vector<std::string>& values, const std::string& meaning) {
  return add_value(command, name, values, meaning)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// The group of options in --help that are seldom needed; it follows the others.
inline constexpr const char* kMoreOptions = "More options";

// The environment variable that names the index.
inline constexpr const char* kDatabaseVariable = "LOOKALIKE_DATABASE";

// --config FILE, --set TABLE.KEY=VALUE, and options that set configuration keys, as
// config/options.def declares them. Must outlive the parsing.
class ConfigArguments {
 public:
  explicit ConfigArguments(CLI::App& command);

  // Adds the option of a key: add("extract.octaves") adds --octaves. A true-or-false key becomes a
  // flag that makes it true; a list takes any number of values.
  // positional: the name of an argument that also sets the key.
  CLI::Option* add(std::string_view key, const std::string& positional = {});
  // Adds the options of several keys.
  void add(std::initializer_list<const char*> keys);
  // Adds the option of a list; each use adds one value.
  CLI::Option* add_each(std::string_view key);
  // Adds the options of the keys of [extract] that decide which features an image has, without
  // --longest-side.
  void add_extraction();
  // Adds --database and -d, for commands that use an index.
  void add_database();
  // Adds the same for commands that search: every further use names a shard (match.shards).
  void add_databases();

  // The defaults, overridden by the file of --config, then by options, then by --set. Folders and
  // files that options name are made absolute. Throws Error(kUsage).
  RunConfig load() const;
  // True if --database or --set names the index.
  bool names_database() const;
  // Completes store.database and returns it: the index that --database or --set names, else the
  // environment variable LOOKALIKE_DATABASE, else the file, else lookalike.db in the current
  // folder, with a line on stderr. Call it after VerbosityArguments::apply().
  const std::string& choose_database(RunConfig& config) const;
  // The same for a file that must exist, so that a mistyped name creates no index. Throws
  // Error(kInput) when it does not exist, Error(kUsage) when none is named either.
  const std::string& existing_database(RunConfig& config) const;
  // Opens the index that existing_database() gives, and its shards.
  IndexReader open_searched(RunConfig& config) const;
  // The options of this command line that set keys other than the folders and the index, quoted for
  // a shell, each after a space: " --config /etc/run.toml --exclude 'drafts/'".
  std::string repeated_settings() const;
  bool has_file() const { return !file_.empty(); }
  const std::string& file() const { return file_; }  // of --config; empty without it

 private:
  struct Argument {
    const ConfigField* field = nullptr;
    bool flag = false;
    std::vector<std::string> values{};
  };
  void add_database(const char* meaning);
  void override_field(RunConfig& config, const Argument& argument) const;
  bool sets(std::string_view key) const;  // by --set
  // As choose_database() without the line; returns true if no index is named.
  bool complete_database(RunConfig& config) const;

  CLI::App& command_;
  CLI::Option* database_ = nullptr;
  std::vector<std::string> databases_;
  std::string file_;
  std::vector<std::string> settings_;  // "table.key=value"
  std::deque<Argument> arguments_;     // CLI11 holds pointers into its items
};

// --quiet and --verbose.
class VerbosityArguments {
 public:
  explicit VerbosityArguments(CLI::App& command);
  // Sets up logging; returns the matching style of progress.
  Progress::Style apply() const;
  bool is_verbose() const { return verbose_; }

 private:
  bool quiet_ = false;
  bool verbose_ = false;
};

// Protects images: every name in the configured folders that would be indexed and, given an index,
// every such name in its folders and every file that it knows, including quarantined ones. The
// index must outlive the guard's last open().
void protect_images(OutputGuard& guard, const RunConfig& config, const IndexReader* index);

// --force, for commands that write files.
class OutputArguments {
 public:
  explicit OutputArguments(CLI::App& command);

  // Returns a guard that protects the configuration file, the configured indexes, all images that
  // exist, and what protect_images() protects. Add the command's other inputs before the first
  // open().
  OutputGuard guard(const ConfigArguments& arguments, const RunConfig& config,
                    const IndexReader* index = nullptr) const;

 private:
  bool force_ = false;
};

// --database, --config and --set, for commands that need an existing index and no other setting.
class IndexArgument {
 public:
  explicit IndexArgument(CLI::App& command) : config_(command) { config_.add_database(); }
  // As ConfigArguments::existing_database().
  std::string path() const;
  IndexReader open() const { return IndexReader(std::filesystem::path(path())); }

 private:
  ConfigArguments config_;
};

// The options of commands that change an index as a whole.
struct UpkeepArguments {
  explicit UpkeepArguments(CLI::App& command) : index(command), verbosity(command) {}
  IndexArgument index;
  VerbosityArguments verbosity;
};

// The options of commands that compute.
struct ComputeArguments {
  explicit ComputeArguments(CLI::App& command) : config(command), verbosity(command) {}
  ConfigArguments config;
  VerbosityArguments verbosity;
};

// The options of commands that compute and may write files.
struct OutputtingArguments : ComputeArguments {
  explicit OutputtingArguments(CLI::App& command) : ComputeArguments(command), outputs(command) {}
  OutputArguments outputs;
};

// The work of a command, run after parsing; returns the exit code.
using Action = std::function<int()>;

// Adds a command without options. Not inline, since CLI11's constructors take long to compile.
CLI::App* add_subcommand(CLI::App& app, const char* name, const char* description,
                         const char* footer);

// Runs a command that takes its arguments alone, or also the configuration that these load, as a
// RunConfig or a reference to it, and the style of progress.
template <typename Arguments>
int run_command(const Arguments& arguments, int (*run)(const Arguments&)) {
  return run(arguments);
}
template <typename Arguments, typename Config>
int run_command(const Arguments& arguments,
                int (*run)(const Arguments&, Config config, Progress::Style style)) {
  const Progress::Style style = arguments.verbosity.apply();
  return run(arguments, arguments.config.load(), style);
}

// Adds a command with the options of `Arguments`, which is constructed from it. Parsing sets
// `action` to run_command(arguments, run) if the command was named.
template <typename Arguments, typename... More>
void add_command(CLI::App& app, Action& action, const char* name, const char* description,
                 const char* footer, int (*run)(const Arguments&, More...)) {
  CLI::App* const command = add_subcommand(app, name, description, footer);
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_command(*arguments, run); }; });
}

// As find_image(). Throws Error(kInput) when the index has no such image.
ImageId must_find(const IndexReader& index, const std::string& name);

// Returns the first existing file of an indexed image, or its first one if none exists. Throws as
// must_find().
std::string file_of_image(const IndexReader& index, const std::string& name);

// Quotes a word for a POSIX shell where the shell would change it.
std::string shell_word(const std::string& text);

// Says why a file of the command line cannot be used: "photo.jpg: no such file".
std::string unusable_text(const std::string& name, const SkippedFile& why);

// Prints an object in one line to stdout, with its "schema" first.
void print_json(const nlohmann::ordered_json& json);

}  // namespace lookalike
