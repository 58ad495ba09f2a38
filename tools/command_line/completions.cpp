#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/fields.h"
#include "tools/command_line/manual.h"

namespace lookalike {
namespace {

struct Completion {
  std::string word;
  std::string meaning{};  // in short
};

// What may stand at one place of a command line.
struct Values {
  const char* kind = "text";  // or "files" or "folders", which a shell completes
  std::vector<Completion> words{};
};

// Returns the first sentence or clause.
std::string in_short(const std::string& meaning) {
  std::string text = meaning.substr(0, std::min(meaning.find(". "), meaning.find("; ")));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Returns the values of an option or an argument, which follow from its placeholder in --help:
// FILE, FILE.html, DIR, DIR DIR, text|csv.
Values values_of(const CLI::Option& option, bool is_argument) {
  const std::string type = option.get_type_name();
  const std::string_view first = std::string_view(type).substr(0, type.find_first_of(".|:"));
  Values values;
  if (type == "TABLE.KEY=VALUE") {
    for (const ConfigField& field : config_fields()) {
      values.words.push_back({fmt::format("{}.{}=", field.table, field.key)});
    }
  } else if (first.starts_with("DIR")) {
    values.kind = "folders";
  } else if (first == "FILE" || first == "IMAGE" || first == "PATH" ||
             (is_argument && first.empty())) {
    values.kind = "files";
  } else if (type.find('|') != std::string::npos) {
    for (const std::string_view word : split(type, '|'))
      values.words.push_back({std::string(word)});
  }
  return values;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool has_name(const CLI::Option& option, const std::string& name) {
  return std::ranges::count(names_of(option), name) > 0;
}

// Returns the option whose value the last word is: the word before it, or an earlier one that takes
// several values. nullptr if there is none.
const CLI::Option* option_of_value(const CLI::App& command, const std::vector<std::string>& words) {
  for (std::size_t i = words.size() - 1; i-- > 0;) {
    if (!words[i].starts_with('-')) continue;
    for (const CLI::Option* option : command.get_options()) {
      if (!has_name(*option, words[i])) continue;
      const int most = option->get_expected_max();
      const bool takes_more = i + 2 == words.size() ? most > 0 : most > 1;
      return takes_more ? option : nullptr;
    }
    return nullptr;
  }
  return nullptr;
}

std::vector<Completion> options_of(const CLI::App& command) {
  std::vector<Completion> options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : names_of(*option)) {
      options.push_back({name, in_short(option->get_description())});
    }
  }
  return options;
}

std::vector<Completion> commands_of(const CLI::App& program) {
  std::vector<Completion> commands;
  for (const CLI::App* command : program.get_subcommands({})) {
    commands.push_back({command->get_name(), in_short(command->get_description())});
  }
  if (!commands.empty()) commands.push_back({"help", "describe a command"});
  return commands;
}

// Returns what may stand in place of the last word of a command's line, options included.
Values values_in(const CLI::App& command, const std::vector<std::string>& words) {
  Values values;
  const CLI::Option* const option = option_of_value(command, words);
  if (option != nullptr) {
    values = values_of(*option, false);
    if (option->get_expected_max() == 1) return values;
  } else {
    for (const CLI::Option* argument : command.get_options()) {
      if (argument->get_positional()) values = values_of(*argument, true);
    }
  }
  if (words.back().starts_with('-')) {
    for (Completion& each : options_of(command)) values.words.push_back(std::move(each));
  }
  return values;
}

}  // namespace

std::string completions(const CLI::App& program, const std::vector<std::string>& words) {
  const std::vector<const CLI::App*> commands = program.get_subcommands({});
  const auto command = std::ranges::find(commands, words.front(), &CLI::App::get_name);
  Values values;
  if (words.size() > 1 && command != commands.end()) {
    values = values_in(**command, {words.begin() + 1, words.end()});
  } else if (commands.empty() || words.back().starts_with('-')) {
    values = values_in(program, words);
  } else if (words.size() == 1 || words.front() == "help") {
    values.words = commands_of(program);
  }
  // Of a list, the last part is completed.
  const std::string& current = words.back();
  const std::string before = current.substr(0, current.rfind(',') + 1);
  std::string text = fmt::format("{}\n", current.starts_with('-') ? "text" : values.kind);
  for (const Completion& each : values.words) {
    const std::string word = before + each.word;
    if (word.starts_with(current)) text += fmt::format("{}\t{}\n", word, each.meaning);
  }
  return text;
}

}  // namespace lookalike
