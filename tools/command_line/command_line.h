#pragma once

#include <deque>
#include <functional>
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
#include "storage/index_reader.h"
#include "storage/output_guard.h"

// What the command lines of all programs have in common.
namespace lookalike {

// Parses the command line. Returns false after --help, --version, and what the build asks for (see
// manual.h), which are printed to stdout: the program is done. Help is wrapped to 80 columns. A
// word that is a file: URI stands for its path. Throws Error(kUsage) that names the fault, the
// nearest option for an unknown one, and the command's --help.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

// The work of a subcommand, run after parsing; returns the exit code.
using Action = std::function<int()>;

// Adds a subcommand without options. Not inline, since CLI11's constructors take long to compile.
CLI::App* add_subcommand(CLI::App& app, const char* name, const char* description,
                         const char* footer);

// Adds a subcommand with the options of `Arguments`, which is constructed from it. Parsing sets
// `action` to run(arguments) if the subcommand was named.
template <typename Arguments>
CLI::App* add_command(CLI::App& app, Action& action, const char* name, const char* description,
                      const char* footer, int (*run)(const Arguments&)) {
  CLI::App* const command = add_subcommand(app, name, description, footer);
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
  return command;
}

// The environment variable that names the index.
inline constexpr const char* kDatabaseVariable = "LOOKALIKE_DATABASE";

// --config FILE, --set TABLE.KEY=VALUE, and options that stand for configuration keys, whose help
// texts and ranges come from the keys' descriptions. Must outlive the parsing.
class ConfigArguments {
 public:
  explicit ConfigArguments(CLI::App& command);

  // Adds an option for a key: add("--octaves", "extract.octaves"). A true-or-false key becomes a
  // flag that makes it true; a list takes any number of values.
  CLI::Option* add(const std::string& option, std::string_view field);

  // The same for a list, of which each use of the option adds one value.
  CLI::Option* add_each(const std::string& option, std::string_view field);
  // Adds --database and -d, for commands that use an index.
  void add_database();
  // The same, for commands that search: every further use names a shard (match.shards).
  void add_databases();

  // The defaults, overridden by the file of --config, then by options, then by --set. Folders and
  // files that options name are made absolute. Throws Error(kUsage).
  RunConfig load() const;
  // Completes store.database, and returns it: the index that --database or --set names, else the
  // environment variable LOOKALIKE_DATABASE, else the file, else lookalike.db in the current
  // folder, which a line on stderr says. Call it after VerbosityArguments::apply().
  const std::string& choose_database(RunConfig& config) const;
  // The same, of a file that exists, so that a mistyped name creates no index. Throws Error(kInput)
  // when it does not, Error(kUsage) when none is named either.
  const std::string& existing_database(RunConfig& config) const;
  // Opens the index that existing_database() gives, and its shards.
  IndexReader open_searched(RunConfig& config) const;
  // What the command line says of keys other than the folders and the index, for a shell, each with
  // a space before it: " --config /etc/run.toml --exclude 'drafts/'". A command that repeats this
  // one needs it.
  std::string settings_again() const;
  bool has_file() const { return !file_.empty(); }
  const std::string& file() const { return file_; }  // of --config; empty without it

 private:
  struct Argument {
    std::string option;
    const ConfigField* field = nullptr;
    bool flag = false;
    std::vector<std::string> values{};
  };
  void add_database(std::string_view meaning);
  void override_field(RunConfig& config, const Argument& argument) const;
  bool names_database() const;
  bool sets(std::string_view key) const;  // by --set
  // As choose_database(), silently; returns whether none is named.
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

 private:
  bool quiet_ = false;
  bool verbose_ = false;
};

// Protects images: the names in the configured folders that would be indexed and, given an index,
// those in its own folders and the files that it knows, including quarantined ones. The index must
// outlive the guard's last open().
void protect_images(OutputGuard& guard, const RunConfig& config, const IndexReader* index);

// --force, for commands that write files.
class OutputArguments {
 public:
  explicit OutputArguments(CLI::App& command);

  // A guard that protects the configuration file, the configured index, all images that exist, and
  // the names that protect_images() protects. Add the other inputs of the command before the first
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

// The options of commands that compute, and may write files.
struct ComputeArguments {
  explicit ComputeArguments(CLI::App& command)
      : config(command), verbosity(command), outputs(command) {}
  ConfigArguments config;
  VerbosityArguments verbosity;
  OutputArguments outputs;
};

// The image that a user names: by one of its paths, absolute or relative to the current folder, or
// by its number. Nothing when the index has no such image.
std::optional<ImageId> find_image(const IndexReader& index, const std::string& name);
// The same. Throws Error(kInput) when the index has no such image.
ImageId must_find(const IndexReader& index, const std::string& name);

// The first file of an indexed image that exists; where none does, the first of all. Throws as
// must_find().
std::string file_of_image(const IndexReader& index, const std::string& name);

// A word of a command to be copied: quoted where a POSIX shell would change it.
std::string shell_word(const std::string& text);

// Why a file that the command line names cannot be used: "photo.jpg: no such file".
std::string unusable_text(const std::string& name, const SkippedFile& why);

// The version of all JSON on stdout, which docs/schema/ describes. It rises when a program that
// reads such JSON could break.
inline constexpr int kJsonSchema = 1;

// An object with that version as "schema", first.
nlohmann::ordered_json with_schema(const nlohmann::ordered_json& json);

// Prints an object in one line to stdout, with its "schema" first.
void print_json(const nlohmann::ordered_json& json);

}  // namespace lookalike
