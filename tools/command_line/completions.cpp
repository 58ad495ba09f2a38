#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "config/fields.h"
#include "tools/command_line/manual.h"

namespace lookalike {
namespace {

// The kinds of words that complete the value of an option or an argument.
enum class Value { kNone, kFile, kFolder, kWords, kText };

struct Completion {
  std::vector<std::string> names;  // with their dashes; none for an argument
  std::string meaning;             // in short
  Value value = Value::kNone;
  std::string words{};   // of kWords, with spaces between them
  bool several = false;  // values after one name
};

// How a shell completes the kinds of values, in the order of Value; {} stands for the words.
using Syntax = std::array<const char*, 5>;
constexpr Syntax kBash = {"kind=text", "kind=files", "kind=folders", "words='{}'", "kind=text"};
constexpr Syntax kZsh = {"", ":file:_files", ":folder:_files -/", ":word:({})", ":value: "};
constexpr Syntax kFish = {"", " -r -F", " -x -a '(__fish_complete_directories)'", " -x -a '{}'",
                          " -x"};

std::string completed(const Completion& completion, const Syntax& syntax) {
  return fmt::format(fmt::runtime(syntax.at(static_cast<std::size_t>(completion.value))),
                     completion.words);
}

// Returns the first sentence or clause.
std::string in_short(const std::string& meaning) {
  std::string text = meaning.substr(0, std::min(meaning.find(". "), meaning.find("; ")));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Sets the kind of value by the placeholder in --help: FILE, FILE.html, DIR, DIR DIR, text|csv.
void set_value(const CLI::Option& option, Completion& completion) {
  const std::string type = option.get_type_name();
  const std::string_view first = std::string_view(type).substr(0, type.find_first_of(".|:"));
  if (option.get_expected_max() == 0) return;  // a flag
  completion.several = !completion.names.empty() && option.get_expected_max() > 1;
  completion.value = Value::kText;
  if (type == "TABLE.KEY=VALUE") {
    completion.value = Value::kWords;
    for (const ConfigField& field : config_fields()) {
      completion.words +=
          fmt::format("{}{}.{}=", completion.words.empty() ? "" : " ", field.table, field.key);
    }
  } else if (first.starts_with("DIR")) {
    completion.value = Value::kFolder;
  } else if (first == "FILE" || first == "IMAGE" || first == "PATH" ||
             (completion.names.empty() && first.empty())) {
    completion.value = Value::kFile;
  } else if (type.find('|') != std::string::npos) {
    completion.value = Value::kWords;
    completion.words = type;
    std::ranges::replace(completion.words, '|', ' ');
  }
}

// Returns the options of a command and, without names, its arguments.
std::vector<Completion> completions_of(const CLI::App& command) {
  std::vector<Completion> all;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    const std::string meaning = in_short(option->get_description());
    if (option->nonpositional()) {
      Completion& completion = all.emplace_back(Completion{.names = {}, .meaning = meaning});
      for (const std::string& name : option->get_snames()) completion.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) completion.names.push_back("--" + name);
      set_value(*option, completion);
    }
    if (option->get_positional()) set_value(*option, all.emplace_back(Completion{{}, meaning}));
  }
  return all;
}

std::string function_name(const CLI::App& program) {
  return '_' + program.get_name();
}

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += before;
    result += c;
  }
  return result;
}

// Quotes text for a POSIX shell, with single quotes.
std::string shell_text(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + '\'';
}

std::string command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (!names.empty()) names.emplace_back("help");
  return fmt::format("{}", fmt::join(names, " "));
}

// bash ------------------------------------------------------------------------------------------

// Returns the case of a program or one of its commands. "$previous $option" are the word before the
// current one and the last word that begins with a dash: an option of several values completes all
// words up to the next option.
std::string bash_case(const CLI::App& command, const std::string& label) {
  std::vector<std::string> names;
  std::string values;
  std::string kind = "kind=text";
  for (const Completion& completion : completions_of(command)) {
    names.insert(names.end(), completion.names.begin(), completion.names.end());
    const std::string value = completed(completion, kBash);
    if (completion.names.empty()) {
      kind = value;
    } else if (completion.several) {
      values += fmt::format("        *' {}') {} ;;\n", fmt::join(completion.names, "'|*' "), value);
    } else if (completion.value != Value::kNone) {
      values += fmt::format("        '{} '*) options='' {} ;;\n",
                            fmt::join(completion.names, " '*|'"), value);
    }
  }
  const std::string commands = command_names(command);
  values += fmt::format("        *) {}{} ;;\n", kind,
                        commands.empty() ? "" : fmt::format(" words='{}'", commands));
  return fmt::format(
      "    {})\n      options='{}'\n      case \"$previous $option\" in\n{}      esac ;;\n", label,
      fmt::join(names, " "), values);
}

std::string bash_script(const CLI::App& program) {
  const std::string& name = program.get_name();
  const std::vector<const CLI::App*> commands = program.get_subcommands({});
  std::string cases;
  for (const CLI::App* command : commands) cases += bash_case(*command, command->get_name());
  if (!commands.empty()) cases += fmt::format("    help) words='{}' ;;\n", command_names(program));
  return fmt::format(R"(# Completes {0} in bash.
{1}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local kind=text words='' options='' command='' option='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word != -* ]] || option=$word
  done
  {2}
  case $command in
{3}{4}  esac
  [[ $current != -* ]] || words="$words $options"
  if [[ $current == *,* && -n $words ]]; then  # a list
    words=$(printf "${{current%,*}},%s " $words)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ $kind != text && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    local flag=-f
    [[ $kind != folders ]] || flag=-d
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(
      compgen "$flag" -- "$current" | sed -E '/(-wal|-shm|\.lock)$/d')
  fi
  [[ ${{COMPREPLY-}} != *= ]] || compopt -o nospace 2>/dev/null
}}
complete -F {1} {0}
)",
                     name, function_name(program),
                     commands.empty() ? ":" : "((COMP_CWORD < 2)) || command=${COMP_WORDS[1]}",
                     cases, bash_case(program, "''"));
}

// zsh -------------------------------------------------------------------------------------------

std::string zsh_action(const Completion& completion) {
  const bool is_repeated = completion.several && completion.value != Value::kNone;
  return (is_repeated ? ":*-*" : "") + completed(completion, kZsh);  // up to the next option
}

// Returns the specifications of a command's options for _arguments.
std::string zsh_specs(const CLI::App& command, const std::string& indent) {
  std::string specs;
  std::string arguments;
  for (const Completion& completion : completions_of(command)) {
    const std::string meaning = replaced(completion.meaning, "[]:\\", "\\");
    const std::string action = zsh_action(completion);
    for (const std::string& name : completion.names) {
      specs += fmt::format(" \\\n{}{}", indent,
                           shell_text(fmt::format("*{}[{}]{}", name, meaning, action)));
    }
    // One for all: _arguments refuses a second '*'.
    if (completion.names.empty()) {
      arguments = fmt::format(" \\\n{}{}", indent, shell_text("*" + action));
    }
  }
  return specs + arguments;
}

std::string zsh_script(const CLI::App& program) {
  const std::string& name = program.get_name();
  const std::vector<const CLI::App*> commands = program.get_subcommands({});
  if (commands.empty()) {
    return fmt::format("#compdef {}\n_arguments -s{}\n", name, zsh_specs(program, "  "));
  }
  std::string names;
  std::string cases;
  for (const CLI::App* command : commands) {
    const std::string meaning = replaced(in_short(command->get_description()), ":\\", "\\");
    names += fmt::format("      {}\n", shell_text(command->get_name() + ':' + meaning));
    cases += fmt::format("      {}) _arguments -s{} ;;\n", command->get_name(),
                         zsh_specs(*command, "        "));
  }
  return fmt::format(R"(#compdef {0}
local state line
local -A opt_args
_arguments -s -C{1} \
  '1: :->command' '*:: :->words'
case $state in
  command)
    local -a commands=(
{2}      'help:describe a command'
    )
    _describe command commands ;;
  words)
    case $line[1] in
{3}      help) _values command {4} ;;
    esac ;;
esac
)",
                     name, zsh_specs(program, "  "), names, cases, command_names(program));
}

// fish ------------------------------------------------------------------------------------------

std::string fish_text(std::string_view text) {
  return '\'' + replaced(text, "\\'", "\\") + '\'';
}

std::string fish_lines(const CLI::App& command, const std::string& begin) {
  std::string lines;
  bool takes_files = false;
  for (const Completion& completion : completions_of(command)) {
    takes_files |= completion.names.empty() || completion.several;
    if (completion.names.empty()) continue;
    lines += begin;
    for (const std::string& name : completion.names) {
      lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    lines += fmt::format("{} -d {}\n", completed(completion, kFish), fish_text(completion.meaning));
  }
  return takes_files ? lines : begin + " -f\n" + lines;
}

std::string fish_script(const CLI::App& program) {
  const std::string begin = "complete -c " + program.get_name();
  const std::vector<const CLI::App*> commands = program.get_subcommands({});
  if (commands.empty()) return fish_lines(program, begin);
  const std::string first = begin + " -n __fish_use_subcommand";
  std::string script = fish_lines(program, first);
  for (const CLI::App* command : commands) {
    script += fmt::format("{} -a {} -d {}\n", first, command->get_name(),
                          fish_text(in_short(command->get_description())));
  }
  script += first + " -a help -d 'describe a command'\n";
  const std::string within = begin + " -n '__fish_seen_subcommand_from ";
  script += fmt::format("{}help' -x -a '{}'\n", within, command_names(program));
  for (const CLI::App* command : commands) {
    script += fish_lines(*command, within + command->get_name() + '\'');
  }
  return script;
}

}  // namespace

std::string completions(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--generate: must be man, markdown, commands, bash, zsh or fish, was {}", shell));
}

}  // namespace lookalike
