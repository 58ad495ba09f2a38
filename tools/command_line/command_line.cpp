#include "tools/command_line/command_line.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "config/fields.h"
#include "config/load.h"
#include "pipeline/device/open_session.h"
#include "pipeline/json.h"
#include "pipeline/searcher.h"
#include "stages/decode/image_header.h"
#include "tools/command_line/manual.h"

namespace lookalike {
namespace {

constexpr const char* kDefaultDatabase = "lookalike.db";

// Words help and wraps it to a terminal of the usual width.
class WrappedHelp : public CLI::Formatter {
 public:
  WrappedHelp() { label("Positionals", "Arguments"); }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    // CLI11 leaves two empty lines between groups of options.
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode),
                                         "\n\n\n", "\n\n");
  }
  std::string make_description(const CLI::App* app) const override {
    return lines(CLI::Formatter::make_description(app));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    return '\n' + lines(usage);
  }
  std::string make_footer(const CLI::App* app) const override {
    return lines(CLI::Formatter::make_footer(app));
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string with = joined(option->get_needs());
    const std::string without = joined(option->get_excludes());
    const std::string initial = option->get_default_str();
    std::string meaning = option->get_description();
    const bool ends_sentence = meaning.ends_with('.') && !meaning.ends_with("...");
    if (!(with + without + initial).empty() && ends_sentence) meaning.pop_back();
    if (!with.empty()) meaning += "; with " + with;
    if (!without.empty()) meaning += "; not with " + without;
    if (!initial.empty()) meaning += ". Default: " + initial;
    return meaning;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() == 0) return text;
    if (!option->get_type_name().empty()) text += fmt::format(" {}", option->get_type_name());
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " (required)";
    return text;
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }

 private:
  static constexpr std::size_t kColumns = 80;
  static constexpr std::size_t kIndent = 2;
  static constexpr std::size_t kMeaning = 28;  // column of the right part

  static std::string joined(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const CLI::Option* option : options) names.push_back(option->get_name());
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // Wraps each line, with its continuation indented by kIndent more than the line itself.
  static std::string lines(const std::string& text) {
    std::string result;
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      if (!result.empty()) result += '\n';
      result += std::string(indent, ' ');
      result += wrapped(line.substr(indent), kColumns, indent, indent + kIndent);
    }
    return result;
  }

  static std::string entry(const std::string& name, const std::string& meaning) {
    std::string text = std::string(kIndent, ' ') + wrapped(name, kColumns, kIndent, 2 * kIndent);
    if (meaning.empty()) return text + '\n';
    const bool fits = text.find('\n') == std::string::npos && text.size() + kIndent <= kMeaning;
    text += fits ? std::string(kMeaning - text.size(), ' ') : '\n' + std::string(kMeaning, ' ');
    return text + wrapped(meaning, kColumns, kMeaning, kMeaning) + '\n';
  }
};

void wrap_help(CLI::App& app) {
  app.formatter(std::make_shared<WrappedHelp>());
  for (CLI::App* const command : app.get_subcommands({})) wrap_help(*command);
}

// Returns what `PROGRAM --complete WORD...` prints for a shell, and `PROGRAM [COMMAND] --generate
// KIND` for the build, where KIND is man, markdown, or commands (their names). Nothing for other
// command lines.
std::optional<std::string> generated(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() > 1 && words.front() == "--complete") {
    return completions(app, {words.begin() + 1, words.end()});
  }
  if (words.size() < 2 || words.size() > 3 || words[words.size() - 2] != "--generate") {
    return std::nullopt;
  }
  const std::vector<const CLI::App*> commands = app.get_subcommands({});
  const CLI::App* command = &app;
  if (words.size() == 3) {
    const auto named = std::ranges::find(commands, words.front(), &CLI::App::get_name);
    if (named == commands.end()) return std::nullopt;
    command = *named;
  }
  const std::string& kind = words.back();
  if (kind == "man") return manual_page(*command, WrappedHelp());
  if (kind == "markdown") return reference(app, WrappedHelp());
  if (kind != "commands") {
    throw Error(ErrorKind::kUsage,
                fmt::format("--generate: must be man, markdown or commands, was {}", kind));
  }
  std::string names;
  for (const CLI::App* each : commands) names += each->get_name() + '\n';
  return names;
}

// Returns the commands that the command line names, outermost first: lookalike, query.
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands = {&app};
  while (!commands.back()->get_subcommands().empty()) {
    commands.push_back(commands.back()->get_subcommands().front());
  }
  return commands;
}

// Words the fault of a command line: an option before the command, an unknown option with the
// nearest known one, or the parser's own message.
std::string fault_of(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  };
  const std::vector<std::string> before = app.remaining();
  if (&app != &command && std::ranges::any_of(before, is_option)) {
    return fmt::format("{}: options come after the command: {} {} ...",
                       *std::ranges::find_if(before, is_option), app.get_name(),
                       command.get_name());
  }
  const std::vector<std::string> extras = command.remaining();
  const auto unknown = std::ranges::find_if(extras, is_option);
  if (unknown == extras.end()) return error.what();
  const std::string name = unknown->substr(0, unknown->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = nearest_name(name, known);
  return fmt::format("{}: no such option{}", name,
                     nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
}

std::string absolute(const std::string& name) {
  if (name.empty()) return name;
  return std::filesystem::absolute(name).lexically_normal().string();
}

// Returns the placeholder of a value in --help.
std::string value_name(const Rule& rule) {
  if (std::holds_alternative<Integer>(rule)) return "N";
  if (std::holds_alternative<Number>(rule)) return "X";
  if (const auto* text = std::get_if<Text>(&rule)) return text->file_name ? "FILE" : "TEXT";
  if (const auto* list = std::get_if<TextList>(&rule)) return list->file_names ? "DIR" : "TEXT";
  return "WORD";
}

std::string help_text(const ConfigField& field) {
  const bool any_text =
      std::holds_alternative<Text>(field.rule) || std::holds_alternative<TextList>(field.rule);
  if (any_text || std::holds_alternative<Boolean>(field.rule)) return std::string(field.meaning);
  return fmt::format("{} Must be {}.", field.meaning, allowed(field.rule));
}

// Returns a default for --help; empty for true-or-false keys, lists and empty defaults.
std::string default_text(const ConfigField& field) {
  static const RunConfig defaults;
  const FieldValue value = field.get(defaults);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (!std::holds_alternative<std::int64_t>(value) && !std::holds_alternative<double>(value)) {
    return {};
  }
  std::string text = to_toml(field.rule, value);
  std::erase(text, '"');
  return text;
}

// True if options of the table's keys are for daily use.
bool is_daily(std::string_view table) {
  return table == "images" || table == "match" || table == "locate" || table == "serve";
}

// Names the index that no option names: to everybody if a run makes it.
void log_default(const std::string& database) {
  std::error_code error;
  const bool is_new = !std::filesystem::exists(database, error);
  logger()->log(is_new ? spdlog::level::info : spdlog::level::debug, "no index is named; using {}",
                printable(database));
}

bool is_known(const IndexReader& index, const std::string& path) {
  const std::vector<SkippedFile> quarantine = index.quarantine();
  return index.find(path) || std::ranges::any_of(quarantine, [&](const SkippedFile& skipped) {
           return skipped.file.path == path;
         });
}

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const char* name, const char* description,
                         const char* footer) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->footer(footer);
  return command;
}

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) word = path_of_text(word);
  app.set_version_flag("-V,--version", app.get_name() + " " LOOKALIKE_VERSION);
  if (const std::optional<std::string> text = generated(app, words)) {
    fmt::print("{}", *text);
    return false;
  }
  std::ranges::reverse(words);  // the order that CLI11 expects
  wrap_help(app);
  try {
    app.parse(std::move(words));
    return true;
  } catch (const CLI::Success& success) {
    app.exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    const std::vector<const CLI::App*> commands = named_commands(app);
    const auto name_of = [](const CLI::App* command) { return command->get_name(); };
    std::vector<std::string> names;
    std::ranges::transform(commands, std::back_inserter(names), name_of);
    const std::string fault = fault_of(app, *commands.back(), error);
    throw Error(ErrorKind::kUsage,
                fmt::format("{}{} {} --help", fault, fault.ends_with('?') ? " See" : "; see",
                            fmt::join(names, " ")));
  }
}

ConfigArguments::ConfigArguments(CLI::App& command) : command_(command) {
  command.add_option("--config", file_, "Configuration file; options override it")
      ->type_name("FILE")
      ->group(kMoreOptions);
  command
      .add_option("--set", settings_,
                  "Set any configuration key (see lookalike config); overrides file and options")
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kMoreOptions);
}

CLI::Option* ConfigArguments::add(std::string_view key, const std::string& positional) {
  Argument& argument = arguments_.emplace_back(Argument{&config_field(key)});
  const ConfigField& field = *argument.field;
  const std::string names = positional.empty() ? field.option : positional + ',' + field.option;
  const bool list = std::holds_alternative<TextList>(field.rule);
  CLI::Option* const option =
      std::holds_alternative<Boolean>(field.rule)
          ? command_.add_flag(names, argument.flag, help_text(field))
          : command_.add_option(names, argument.values, help_text(field))
                ->type_name(value_name(field.rule))
                ->expected(1, list ? CLI::detail::expected_max_vector_size : 1)
                ->allow_extra_args(list)
                ->default_str(default_text(field));
  if (!is_daily(field.table)) option->group(kMoreOptions);
  return option;
}

void ConfigArguments::add(std::initializer_list<const char*> keys) {
  for (const char* key : keys) add(key);
}

void ConfigArguments::add_extraction() {
  add({"extract.hessian_threshold", "extract.brighten_to", "extract.octaves", "extract.layers",
       "extract.max_interval", "extract.descriptor_size", "extract.upright",
       "extract.max_features"});
}

void ConfigArguments::override_field(RunConfig& config, const Argument& argument) const {
  const ConfigField& field = *argument.field;
  if (argument.flag) field.set(config, true);
  if (argument.values.empty()) return;
  std::vector<std::string> values = argument.values;
  if (holds_file_names(field.rule)) {
    for (std::string& value : values) value = absolute(value);
  }
  if (std::holds_alternative<TextList>(field.rule)) {
    field.set(config, values);
  } else {
    set_field(config, field, values.back(), field.option);
  }
}

RunConfig ConfigArguments::load() const {
  RunConfig config = file_.empty() ? RunConfig{} : load_config(file_);
  for (const Argument& argument : arguments_) override_field(config, argument);
  if (!databases_.empty()) {
    config.store.database = absolute(databases_.front());
    config.match.shards.clear();
    std::transform(databases_.begin() + 1, databases_.end(),
                   std::back_inserter(config.match.shards), absolute);
  }
  for (const std::string& setting : settings_) apply_setting(config, setting, "--set");
  check_ranges(config);
  const auto is_device = [](const Argument& argument) {
    return argument.field == &config_field("device.choice");
  };
  if (std::ranges::any_of(arguments_, is_device)) give_pocl_a_cache();
  return config;
}

std::string ConfigArguments::repeated_settings() const {
  std::string words;
  const auto add = [&](std::string_view option, const std::string& value) {
    words += fmt::format(" {} {}", option, shell_word(text_of_path(value)));
  };
  if (!file_.empty()) add("--config", absolute(file_));
  for (const Argument& argument : arguments_) {
    const ConfigField& field = *argument.field;
    if (&field == &config_field("images.folders")) continue;
    if (argument.flag) words += ' ' + field.option;
    for (const std::string& value : argument.values) {
      add(field.option, holds_file_names(field.rule) ? absolute(value) : value);
    }
  }
  for (const std::string& setting : settings_) add("--set", setting);
  return words;
}

CLI::Option* ConfigArguments::add_each(std::string_view key) {
  return add(key)->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

void ConfigArguments::add_database() {
  add_database("Index file");
}

void ConfigArguments::add_databases() {
  add_database("Index file; several, of one codebook, are searched as one");
  database_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void ConfigArguments::add_database(const char* meaning) {
  database_ = command_.add_option("-d,--database", databases_, meaning)
                  ->type_name("FILE")
                  ->expected(1)
                  ->allow_extra_args(false)
                  ->default_str(fmt::format("${}, else the one of --config, else ./{}",
                                            kDatabaseVariable, kDefaultDatabase));
}

bool ConfigArguments::names_database() const {
  return database_->count() > 0 || sets("store.database");
}

bool ConfigArguments::sets(std::string_view key) const {
  return std::ranges::any_of(settings_, [&](const std::string& setting) {
    return setting.starts_with(std::string(key) + '=');
  });
}

bool ConfigArguments::complete_database(RunConfig& config) const {
  std::string& database = config.store.database;
  const char* const variable = std::getenv(kDatabaseVariable);
  const bool has_variable = variable != nullptr && *variable != '\0';
  if (has_variable && !names_database()) {
    const std::string name = absolute(path_of_text(variable));
    if (!database.empty() && database != name) {
      spdlog::info("{}: the index, by {}; {} names {}", printable(name), kDatabaseVariable,
                   printable(file_), printable(database));
      if (!sets("match.shards")) config.match.shards.clear();
    }
    database = name;
  }
  if (!database.empty()) return false;
  database = absolute(kDefaultDatabase);
  return true;
}

const std::string& ConfigArguments::choose_database(RunConfig& config) const {
  if (complete_database(config)) log_default(config.store.database);
  return config.store.database;
}

const std::string& ConfigArguments::existing_database(RunConfig& config) const {
  const bool is_default = complete_database(config);
  std::error_code error;
  if (std::filesystem::is_regular_file(config.store.database, error)) {
    if (is_default) log_default(config.store.database);
    return config.store.database;
  }
  if (!is_default) {
    throw Error(ErrorKind::kInput, config.store.database + ": no such index");
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no index is named, and ./{} does not exist: give --database FILE, or make "
                  "one with lookalike index FOLDER",
                  kDefaultDatabase));
}

IndexReader ConfigArguments::open_searched(RunConfig& config) const {
  existing_database(config);
  return IndexReader(searched_databases(config));
}

VerbosityArguments::VerbosityArguments(CLI::App& command) {
  auto* quiet = command.add_flag("-q,--quiet", quiet_, "Only warnings and errors on stderr")
                    ->group(kMoreOptions);
  command.add_flag("-v,--verbose", verbose_, "More detail on stderr")
      ->excludes(quiet)
      ->group(kMoreOptions);
}

Progress::Style VerbosityArguments::apply() const {
  set_up_logging(quiet_ ? Verbosity::kQuiet : verbose_ ? Verbosity::kVerbose : Verbosity::kNormal);
  return quiet_ ? Progress::Style::kQuiet : Progress::style_for_stderr();
}

void protect_images(OutputGuard& guard, const RunConfig& config, const IndexReader* index) {
  for (const std::string& folder : config.images.folders) {
    guard.protect_folder(folder, config.images.extensions);
  }
  if (index == nullptr) return;
  for (const IndexRoot& root : index->roots()) {
    guard.protect_folder(root.path, config.images.extensions);
  }
  guard.protect_files([index](const std::string& path) { return is_known(*index, path); });
}

OutputArguments::OutputArguments(CLI::App& command) {
  command
      .add_flag("--force", force_,
                "Replace files that lookalike did not write, and read-only ones; never an input, "
                "an index, or an image")
      ->group(kMoreOptions);
}

OutputGuard OutputArguments::guard(const ConfigArguments& arguments, const RunConfig& config,
                                   const IndexReader* index) const {
  OutputGuard guard(force_);
  guard.protect_images(begins_an_image);
  if (arguments.has_file()) guard.add_input(arguments.file());
  if (!config.store.database.empty()) guard.add_index(config.store.database);
  for (const std::string& shard : config.match.shards) guard.add_index(shard);
  protect_images(guard, config, index);
  return guard;
}

std::string IndexArgument::path() const {
  RunConfig config = config_.load();
  return config_.existing_database(config);
}

ImageId must_find(const IndexReader& index, const std::string& name) {
  const std::optional<ImageId> id = find_image(index, name);
  if (!id) throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", name));
  return *id;
}

std::string file_of_image(const IndexReader& index, const std::string& name) {
  const std::vector<std::string> paths = index.image(must_find(index, name)).value().paths;
  const auto found = std::ranges::find_if(paths, has_file);
  return found == paths.end() ? paths.front() : *found;
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string unusable_text(const std::string& name, const SkippedFile& why) {
  if (why.reason == "vanished") return fmt::format("{}: no such file", printable(name));
  if (why.reason == "not_indexed") return fmt::format("{}: {}", printable(name), why.detail);
  return fmt::format("{}: {}: {}", printable(name), why.reason, why.detail);
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json_text(with_schema(json)));
}

}  // namespace lookalike
