#include "tools/command_line/command_line.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "config/fields.h"
#include "config/load.h"
#include "pipeline/answers.h"

namespace lookalike {
namespace {

// The innermost command that the command line names: "lookalike query".
std::string command_path(const CLI::App& app) {
  std::string path = app.get_name();
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += ' ' + at->get_name();
  }
  return path;
}

std::string absolute(const std::string& name) {
  return std::filesystem::absolute(name).lexically_normal().string();
}

// The placeholder for the value in --help.
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

// Applies "table.key=value" of --set.
void apply_setting(RunConfig& config, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string name = setting.substr(0, equals);
  if (equals != std::string::npos &&
      accept_retired_key(name, setting.substr(equals + 1), "--set")) {
    return;
  }
  const ConfigField* field = find_config_field(name);
  if (equals == std::string::npos || !field) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--set: must be TABLE.KEY=VALUE with a key that `lookalike config` "
                            "lists, was \"{}\"",
                            setting));
  }
  set_field(config, *field, setting.substr(equals + 1), "--set " + name);
}

bool is_known(const IndexReader& index, const std::string& path) {
  const std::vector<SkippedFile> quarantine = index.quarantine();
  return index.find(path) || std::ranges::any_of(quarantine, [&](const SkippedFile& skipped) {
           return skipped.file.path == path;
         });
}

}  // namespace

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) word = path_of_text(word);
  std::ranges::reverse(words);  // the order that CLI11 expects
  try {
    app.parse(std::move(words));
    return true;
  } catch (const CLI::Success& success) {
    app.exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}; see {} --help", error.what(), command_path(app)));
  }
}

ConfigArguments::ConfigArguments(CLI::App& command) : command_(command) {
  command.add_option("--config", file_, "Configuration file; options override it")
      ->type_name("FILE");
  command
      .add_option("--set", settings_,
                  "Set any configuration key (see lookalike config); overrides file and options")
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* ConfigArguments::add(const std::string& option, std::string_view field) {
  Argument& argument = arguments_.emplace_back(Argument{option, &config_field(field)});
  const Rule& rule = argument.field->rule;
  const std::string help = help_text(*argument.field);
  if (std::holds_alternative<Boolean>(rule)) {
    return command_.add_flag(option, argument.flag, help);
  }
  const bool list = std::holds_alternative<TextList>(rule);
  return command_.add_option(option, argument.values, help)
      ->type_name(value_name(rule))
      ->expected(1, list ? CLI::detail::expected_max_vector_size : 1)
      ->allow_extra_args(list);
}

void ConfigArguments::override_field(RunConfig& config, const Argument& argument) const {
  const ConfigField& field = *argument.field;
  if (argument.flag) field.set(config, true);
  if (argument.values.empty()) return;
  const auto* text = std::get_if<Text>(&field.rule);
  const auto* list = std::get_if<TextList>(&field.rule);
  std::vector<std::string> values = argument.values;
  if ((text && text->file_name) || (list && list->file_names)) {
    for (std::string& value : values) value = absolute(value);
  }
  if (list) {
    field.set(config, values);
  } else {
    set_field(config, field, values.back(), argument.option);
  }
}

RunConfig ConfigArguments::load() const {
  RunConfig config = file_.empty() ? RunConfig{} : load_config(file_);
  for (const Argument& argument : arguments_) override_field(config, argument);
  for (const std::string& setting : settings_) apply_setting(config, setting);
  check_ranges(config);
  return config;
}

VerbosityArguments::VerbosityArguments(CLI::App& command) {
  auto* quiet = command.add_flag("-q,--quiet", quiet_, "Only warnings and errors on stderr");
  command.add_flag("-v,--verbose", verbose_, "More detail on stderr")->excludes(quiet);
}

Progress::Style VerbosityArguments::apply() const {
  set_up_logging(quiet_ ? Verbosity::kQuiet : verbose_ ? Verbosity::kVerbose : Verbosity::kNormal);
  return quiet_ ? Progress::Style::kQuiet : Progress::style_for_stderr();
}

ShardArgument::ShardArgument(CLI::App& command, const std::string& items) {
  command
      .add_option("--shard", text_,
                  "Process only " + items + " I, I + N, I + 2N, ..., where I counts from 0")
      ->type_name("I/N");
}

ImageArguments::ImageArguments(CLI::App& command, ConfigArguments& config)
    : shard_(command, "the images") {
  config.add("--images", "images.folders");
  config.add("--extensions", "images.extensions");
  config.add("--longest-side", "extract.longest_side_px");
  config.add("--threads", "images.decode_threads");
  config.add("--device", "device.choice");
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
  command.add_flag("--force", force_,
                   "Replace files that lookalike did not write, and read-only ones; never an "
                   "input, an index, or an image in an indexed folder");
}

OutputGuard OutputArguments::guard(const ConfigArguments& arguments, const RunConfig& config,
                                   const IndexReader* index) const {
  OutputGuard guard(force_);
  if (arguments.has_file()) guard.add_input(arguments.file());
  if (!config.store.database.empty()) guard.add_index(config.store.database);
  protect_images(guard, config, index);
  return guard;
}

IndexArgument::IndexArgument(CLI::App& command) {
  command.add_option("--database", database_, "The index file")->required()->type_name("FILE");
}

const std::string& IndexArgument::path() const {
  require_index(database_);
  return database_;
}

ListArguments::ListArguments(CLI::App& command) : index(command) {
  command.add_flag("--json", json, "Print one JSON object");
}

void require_index(const std::string& database) {
  std::error_code error;
  if (std::filesystem::is_regular_file(database, error)) return;
  throw Error(ErrorKind::kInput, database + ": there is no such index");
}

const std::string& named_database(const RunConfig& config) {
  if (!config.store.database.empty()) return config.store.database;
  throw Error(ErrorKind::kUsage,
              "no index is named: give --database FILE, or [store] database in --config");
}

std::optional<ImageId> find_image(const IndexReader& index, const std::string& name) {
  std::optional<ImageId> id;
  if (!name.empty()) id = index.find(normal_path(name));
  if (!id) id = index.find(name);
  if (!id) id = parse_number<ImageId>(name);
  return id && index.image(*id) ? id : std::nullopt;
}

ImageId must_find(const IndexReader& index, const std::string& name) {
  const std::optional<ImageId> id = find_image(index, name);
  if (!id) throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", name));
  return *id;
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json_text(json));
}

}  // namespace lookalike
